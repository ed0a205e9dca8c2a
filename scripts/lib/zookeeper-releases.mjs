// ZooKeeper itself, as Maven has it: a folder of jars, laid out as ZOOKEEPER_HOME wants it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasProgram } from './find-servers.mjs';

const group = 'org.apache.zookeeper';
// Those that whoever runs the server has to bring, as its own distribution does.
const provided = [
  ['io.dropwizard.metrics', 'metrics-core'],
  ['org.xerial.snappy', 'snappy-java'],
];

/**
 * Fetches the newest release of a line that can be had with all it needs, unless `cache` has it. Newer ones that cannot are named in
 * `unavailable`.
 *
 * @param {string} line such as `3.9`
 * @param {string} cache a folder
 * @returns {{ version: string, folder: string, unavailable: string[] }} the folder is a ZOOKEEPER_HOME
 */
export function fetchZooKeeper(line, cache) {
  if (!hasProgram('mvn', (process.env.PATH ?? '').split(delimiter)))
    throw new Error(`ZooKeeper ${line} is fetched by Maven, which is missing. As root: apt-get install maven`);
  const workplace = mkdtempSync(join(tmpdir(), 'concordat-zookeeper-'));
  try {
    const { version, unavailable } = newest(workplace, line);
    const folder = join(cache, `zookeeper-${version}`);
    if (!existsSync(folder)) fetch(workplace, version, cache, folder);
    return { version, folder, unavailable };
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Where a release is announced before its parts are there, or a mirror lacks some, Maven names it and stops. */
function newest(workplace, line) {
  const [major, minor] = line.split('.').map(Number);
  const unavailable = [];
  let below = `${major}.${minor + 1}-alpha`;
  for (;;) {
    const jars = join(workplace, `below-${below}`);
    const wanted = dependency(group, 'zookeeper', `[${line},${below})`);
    const { status, said } = copy(workplace, [wanted], jars, '-DincludeArtifactIds=zookeeper');
    if (status === 0) {
      const [, version] = /^zookeeper-(.+)\.jar$/.exec(readdirSync(jars)[0] ?? '') ?? [];
      if (!version?.startsWith(`${line}.`)) throw new Error(`Maven has "${version}" for ZooKeeper ${line}`);
      return { version, unavailable };
    }
    const [, refused] = /org\.apache\.zookeeper:zookeeper:(?:jar|pom):([\d.]+)/.exec(said) ?? [];
    if (!refused?.startsWith(`${line}.`) || refused === below)
      throw new Error(`Maven could not fetch ZooKeeper ${line}:\n${said}`);
    console.error(`matrix: ZooKeeper ${refused} cannot be had with all that it needs`);
    unavailable.push(refused);
    below = refused;
  }
}

function fetch(workplace, version, cache, folder) {
  console.error(`matrix: fetching ZooKeeper ${version}`);
  const home = join(workplace, 'home');
  const wanted = [
    dependency(group, 'zookeeper', version),
    ...provided.map(([from, artifact]) => dependency(from, artifact)),
  ];
  // The versions that it was released with.
  const managed = dependency(group, 'parent', version, '<type>pom</type><scope>import</scope>');
  const { status, said } = copy(workplace, wanted, join(home, 'lib'), '-DincludeScope=runtime', managed);
  if (status !== 0) throw new Error(`Maven could not fetch ZooKeeper ${version}:\n${said}`);
  mkdirSync(cache, { recursive: true });
  // The system's temporary folder may be on another file system.
  const unfinished = mkdtempSync(join(cache, 'unfinished-'));
  cpSync(home, unfinished, { recursive: true });
  renameSync(unfinished, folder);
}

function dependency(groupId, artifactId, version, more = '') {
  const parts = { groupId, artifactId, ...(version && { version }) };
  const lines = Object.entries(parts).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<dependency>${lines.join('')}${more}</dependency>`;
}

/** Copies jars and what they need; `said` is what Maven complained of. */
function copy(workplace, dependencies, output, flag, managed = '') {
  writeFileSync(
    join(workplace, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>concordat.example</groupId><artifactId>zookeeper</artifactId><version>1</version><packaging>pom</packaging>
  <dependencyManagement><dependencies>${managed}</dependencies></dependencyManagement>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`,
  );
  const goal = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${output}`, flag];
  const { status, stdout } = spawnSync('mvn', goal, {
    cwd: workplace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    shell: process.platform === 'win32',
  });
  return { status, said: stdout ?? '' };
}

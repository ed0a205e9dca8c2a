// The package is optional and its own types are incomplete: what is used of it is in native-handle.ts.
declare module 'zookeeper' {
  const ZooKeeper: unknown;
  export = ZooKeeper;
}

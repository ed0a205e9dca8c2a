import type { Opening } from './flow.js';

const headerBytes = 20;

/**
 * What a ZooKeeper server says first on a connection for elections: version, its own number, and its address.
 *
 * The one that hears it calls back at that address when its own number is greater, past our doors. Without version and address, as
 * servers before 3.5 said it, it looks the other up in its own configuration, where the door stands.
 */
export function electionOpening(): Opening {
  let said = Buffer.alloc(0);
  return (bytes) => {
    said = Buffer.concat([said, bytes]);
    if (said.length < headerBytes) return null;
    const end = headerBytes + said.readInt32BE(headerBytes - 4);
    return said.length < end ? null : Buffer.concat([said.subarray(8, 16), said.subarray(end)]);
  };
}

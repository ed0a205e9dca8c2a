const serverSecret = 0xb3415c00n;
const multiplier = 0x5deece66dn;
const mask48 = (1n << 48n) - 1n;

/**
 * The password of a ZooKeeper session. Servers derive it from the id alone, so that each of them can check it: sixteen bytes of
 * `java.util.Random`, seeded with the id and a constant (ZooKeeperServer.generatePasswd, 3.4 to 3.9).
 */
export function sessionPassword(sessionId: bigint): Buffer {
  let seed = (BigInt.asUintN(64, sessionId) ^ serverSecret ^ multiplier) & mask48;
  const password = Buffer.alloc(16);
  for (let at = 0; at < password.length; at += 4) {
    seed = (seed * multiplier + 0xbn) & mask48;
    password.writeUInt32LE(Number(seed >> 16n), at);
  }
  return password;
}

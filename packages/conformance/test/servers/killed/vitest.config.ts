export default { test: { include: ['victim.ts'] } };

export { etcd } from './driver.js';

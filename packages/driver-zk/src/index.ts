export { zookeeper } from './driver.js';

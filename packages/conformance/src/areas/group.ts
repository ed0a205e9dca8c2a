import { area } from '../scenario.js';
import { groupCosts } from './group-costs.js';
import { groupLoss } from './group-loss.js';
import { groupMembers } from './group-members.js';
import { groupReturn } from './group-return.js';
import { groupStreams } from './group-streams.js';

/** Members that are there: docs/spec/group.md. */
export const group = area('group', (scenario) => {
  groupMembers(scenario);
  groupStreams(scenario);
  groupLoss(scenario);
  groupReturn(scenario);
  groupCosts(scenario);
});

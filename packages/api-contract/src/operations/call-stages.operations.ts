import { CallStage } from '../rest/call-stage.ts';
import { Message } from '../rest/message.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Calls';
const path = '/api/calls/{call_id}/stages';

export const listCallStages = defineList({
  id: 'listCallStages',
  path,
  tag,
  callScope: 'call.read',
  summary: 'Lists the stages of a call, in order.',
  item: CallStage,
  itemName: 'CallStage',
});

export const getCallStage = defineOperation({
  id: 'getCallStage',
  method: 'GET',
  path: `${path}/{call_stage_id}`,
  tag,
  callScope: 'call.read',
  summary: 'Gets a stage of a call.',
  status: 200,
  response: CallStage,
});

export const listCallStageMessages = defineList({
  id: 'listCallStageMessages',
  path: `${path}/{call_stage_id}/messages`,
  tag,
  callScope: 'call.read',
  summary: 'Lists the messages of a stage, in order; the initial ones come first.',
  item: Message,
  itemName: 'Message',
});

export const getCallStageMessageAudio = defineOperation({
  id: 'getCallStageMessageAudio',
  method: 'GET',
  path: `${path}/{call_stage_id}/messages/{call_stage_message_index}/audio`,
  tag,
  summary: 'Gets the sound of a message, cut from the recording of the call: mono, who said it alone.',
  status: 200,
  otherResponses: [{ status: 200, mediaType: 'audio/wav', description: 'The sound.' }],
  errorStatuses: [425],
});

export const callStageOperations = [
  listCallStages,
  getCallStage,
  listCallStageMessages,
  getCallStageMessageAudio,
];

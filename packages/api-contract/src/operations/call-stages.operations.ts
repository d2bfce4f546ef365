import { CallStage } from '../rest/call-records.ts';
import { Message } from '../rest/message.ts';
import { callStage, message } from './examples/calls.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Calls';
const path = '/api/calls/{call_id}/stages';

export const listCallStages = defineList({
  id: 'listCallStages',
  path,
  tag,
  callScope: 'call.read',
  summary: 'List the stages of a call',
  description: 'Returns the stages of a call in order. Each call has at least one.',
  example: { response: pageOf(callStage) },
  item: CallStage,
  itemName: 'CallStage',
});

export const getCallStage = defineOperation({
  id: 'getCallStage',
  method: 'GET',
  path: `${path}/{call_stage_id}`,
  tag,
  callScope: 'call.read',
  summary: 'Get a stage of a call',
  description: 'Returns a stage of a call with its settings.',
  example: { response: callStage },
  status: 200,
  response: CallStage,
});

export const listCallStageMessages = defineList({
  id: 'listCallStageMessages',
  path: `${path}/{call_stage_id}/messages`,
  tag,
  callScope: 'call.read',
  summary: 'List the messages of a stage',
  description: 'Returns the messages of a stage in order, starting with its initial messages.',
  example: { response: pageOf(message) },
  item: Message,
  itemName: 'Message',
});

export const getCallStageMessageAudio = defineOperation({
  id: 'getCallStageMessageAudio',
  method: 'GET',
  path: `${path}/{call_stage_id}/messages/{call_stage_message_index}/audio`,
  tag,
  summary: 'Get the audio of a message',
  description:
    'Returns a message as mono WAV, cut from the recording of the call. Supports `Range`. Fails with 404 if the recording does not contain the message, and with 425 while the call is live.',
  example: {},
  status: 200,
  otherResponses: [
    { status: 200, mediaType: 'audio/wav', description: 'The message.' },
    { status: 206, mediaType: 'audio/wav', description: 'The requested range.' },
  ],
  errorStatuses: [416, 425],
});

export const callStageOperations = [
  listCallStages,
  getCallStage,
  listCallStageMessages,
  getCallStageMessageAudio,
];

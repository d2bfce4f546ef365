import { Type } from 'typebox';
import { CallEvent } from '../rest/call-event.ts';
import { Call, StartCallQuery, StartCallRequest } from '../rest/call.ts';
import { Severity } from '../rest/enums.ts';
import { Message } from '../rest/message.ts';
import { SendCallDataMessage } from '../rest/send-data-message.ts';
import { CALL_SORTS, callFilters } from './call-filters.ts';
import { callStageOperations } from './call-stages.operations.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Calls';

export const startCall = defineOperation({
  id: 'startCall',
  method: 'POST',
  path: '/api/calls',
  tag,
  summary: 'Creates a call. Its `joinUrl` is where the client joins it.',
  query: StartCallQuery,
  body: StartCallRequest,
  status: 201,
  response: Call,
  errorStatuses: [402, 403, 422],
});

export const listCalls = defineList({
  id: 'listCalls',
  path: '/api/calls',
  tag,
  summary: 'Lists the calls of the account, newest first unless sorted otherwise.',
  description: 'All filters that are given must hold; bounds are inclusive.',
  filters: {
    ...callFilters,
    sort: Type.Optional(Type.Enum([...CALL_SORTS], { default: '-created' })),
  },
  item: Call,
  itemName: 'Call',
});

export const getCall = defineOperation({
  id: 'getCall',
  method: 'GET',
  path: '/api/calls/{call_id}',
  tag,
  callScope: 'call.read',
  summary: 'Gets a call.',
  status: 200,
  response: Call,
});

export const deleteCall = defineOperation({
  id: 'deleteCall',
  method: 'DELETE',
  path: '/api/calls/{call_id}',
  tag,
  summary: 'Deletes a call and all that was said in it; a live call is hung up first.',
  description: 'What stays is told by `/api/deleted_calls/{call_id}`.',
  status: 204,
  errorStatuses: [409],
});

export const sendCallDataMessage = defineOperation({
  id: 'sendCallDataMessage',
  method: 'POST',
  path: '/api/calls/{call_id}/send_data_message',
  tag,
  callScope: 'call.send_data_message',
  summary: 'Sends a data message into a live call.',
  description: 'A `hang_up` ends the call with `agent_hangup`.',
  body: SendCallDataMessage,
  status: 204,
  errorStatuses: [422],
});

export const listCallMessages = defineList({
  id: 'listCallMessages',
  path: '/api/calls/{call_id}/messages',
  tag,
  callScope: 'call.read',
  summary: 'Lists what was said in a call, in order.',
  description:
    '`last_stage`: all messages of the last stage, the initial ones included. `in_call`: what was said in the call, in all stages.',
  filters: { mode: Type.Optional(Type.Enum(['last_stage', 'in_call'], { default: 'last_stage' })) },
  item: Message,
  itemName: 'Message',
});

export const listCallEvents = defineList({
  id: 'listCallEvents',
  path: '/api/calls/{call_id}/events',
  tag,
  callScope: 'call.read',
  summary: 'Lists what was worth knowing about a call, in order.',
  filters: {
    minimum_severity: Type.Optional(Type.Enum(Severity.enum, { default: 'info' })),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  },
  item: CallEvent,
  itemName: 'CallEvent',
});

export const getCallRecording = defineOperation({
  id: 'getCallRecording',
  method: 'GET',
  path: '/api/calls/{call_id}/recording',
  tag,
  summary: 'Gets the recording of an ended call: stereo, the user left, the agent right.',
  description: '`Range` and `If-Range` are honoured.',
  status: 200,
  otherResponses: [
    { status: 200, mediaType: 'audio/wav', description: 'The recording.' },
    { status: 206, mediaType: 'audio/wav', description: 'The range asked for.' },
  ],
  errorStatuses: [416, 425],
});

export const getCallSipLogs = defineOperation({
  id: 'getCallSipLogs',
  method: 'GET',
  path: '/api/calls/{call_id}/sip_logs',
  tag,
  summary: 'Leads to the SIP messages of an ended SIP call.',
  status: 200,
  otherResponses: [{ status: 302, description: '`Location` has the logs.' }],
  errorStatuses: [425],
});

export const callOperations = [
  startCall,
  listCalls,
  getCall,
  deleteCall,
  sendCallDataMessage,
  listCallMessages,
  listCallEvents,
  getCallRecording,
  getCallSipLogs,
  ...callStageOperations,
];

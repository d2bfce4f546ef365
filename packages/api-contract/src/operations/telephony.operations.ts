import { Type } from 'typebox';
import {
  AccountTelephonyConfig,
  PatchedAccountTelephonyConfig,
  telephonyConfigs,
  type TelephonyProvider,
} from '../rest/telephony-config.ts';
import { defineOperation } from './operation.ts';

const tag = 'Telephony';

function operationsOf<P extends TelephonyProvider>(provider: P) {
  const { Request, Response, Patch } = telephonyConfigs[provider];
  const name = `T${provider.slice(1)}Config`;
  const path = `/api/telephony_configs/${provider}` as const;
  return {
    get: defineOperation({
      id: `get${name}`,
      method: 'GET',
      path,
      tag,
      summary: `Gets what the account has set up for ${provider}; 404 where that is nothing.`,
      status: 200,
      response: Response,
      errorStatuses: [404],
    }),
    create: defineOperation({
      id: `create${name}`,
      method: 'POST',
      path,
      tag,
      summary: `Sets up ${provider}.`,
      body: Request,
      status: 201,
      response: Response,
      errorStatuses: [409],
    }),
    update: defineOperation({
      id: `update${name}`,
      method: 'PATCH',
      path,
      tag,
      summary: `Changes what is set up for ${provider}.`,
      body: Patch,
      status: 200,
      response: Response,
      errorStatuses: [404],
    }),
    delete: defineOperation({
      id: `delete${name}`,
      method: 'DELETE',
      path,
      tag,
      summary: `Deletes what is set up for ${provider}.`,
      status: 204,
      errorStatuses: [404],
    }),
  };
}

export const telephony1Operations = operationsOf('telephony1');
export const telephony2Operations = operationsOf('telephony2');
export const telephony3Operations = operationsOf('telephony3');

export const getAccountTelephonyConfig = defineOperation({
  id: 'getAccountTelephonyConfig',
  method: 'GET',
  path: '/api/accounts/me/telephony_config',
  tag,
  summary: 'Gets what the account has set up for all telephony providers.',
  deprecated: true,
  status: 200,
  response: AccountTelephonyConfig,
});

export const updateAccountTelephonyConfig = defineOperation({
  id: 'updateAccountTelephonyConfig',
  method: 'PATCH',
  path: '/api/accounts/me/telephony_config',
  tag,
  summary: 'Sets up, changes or (null) deletes what the account has set up for telephony providers.',
  deprecated: true,
  body: PatchedAccountTelephonyConfig,
  status: 200,
  response: AccountTelephonyConfig,
  errorStatuses: [409],
});

export const startTelephonyCall = defineOperation({
  id: 'startTelephonyCall',
  method: 'POST',
  path: '/api/agents/{agent_id}/telephony_xml',
  tag,
  summary:
    "Creates a call of an agent for a telephony provider's incoming call, and answers what to do with it.",
  description:
    'The webhook of telephony1 to telephony3. Its signature, made with what the account has set up, takes the place of a key; the URL that is signed is the one under which this API is reached.',
  open: true,
  body: Type.Unknown({ description: 'As the provider sends it.' }),
  otherBodies: { 'application/x-www-form-urlencoded': Type.Unknown() },
  maxBodyBytes: 65_536,
  status: 200,
  otherResponses: [{ status: 200, mediaType: 'text/xml', description: 'Streams the call to its `joinUrl`.' }],
  errorStatuses: [401, 402, 403, 413, 415, 422, 429, 503],
});

export const telephonyOperations = [
  ...Object.values(telephony1Operations),
  ...Object.values(telephony2Operations),
  ...Object.values(telephony3Operations),
  getAccountTelephonyConfig,
  updateAccountTelephonyConfig,
  startTelephonyCall,
];

import type { TelephonyAccount } from '@calls/providers/telephony/telephony-vendor';
import {
  ofEachTelephonyAccount,
  TELEPHONY_PROVIDERS,
  TELEPHONY_VENDORS,
  type TelephonyProvider,
} from '@calls/providers/telephony/telephony-vendors';
import { Type } from 'typebox';
import {
  AccountTelephonyConfig,
  PatchedAccountTelephonyConfig,
  telephonyConfigs,
} from '../rest/telephony-config.ts';
import { telephonyExample } from './examples/telephony.examples.ts';
import { defineOperation } from './operation.ts';

const tag = 'Telephony';

function operationsOf<P extends TelephonyProvider>(provider: P, account: TelephonyAccount) {
  const { Request, Response, Patch } = telephonyConfigs[provider];
  const { body, response } = telephonyExample(account);
  const name = `T${provider.slice(1)}Config`;
  const path = `/api/telephony_configs/${provider}` as const;
  return {
    get: defineOperation({
      id: `get${name}`,
      method: 'GET',
      path,
      tag,
      summary: `Get ${provider} credentials`,
      description: `Returns the credentials of ${provider}, without secrets. Fails with 404 if none are stored.`,
      example: { response },
      status: 200,
      response: Response,
      errorStatuses: [404],
    }),
    create: defineOperation({
      id: `create${name}`,
      method: 'POST',
      path,
      tag,
      summary: `Store ${provider} credentials`,
      description: `Stores credentials of ${provider}, for outgoing calls and its webhook. Fails with 409 if some are stored.`,
      example: { body, response },
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
      summary: `Update ${provider} credentials`,
      description: `Changes the credentials of ${provider}. Fails with 404 if none are stored.`,
      example: { body: { callCreationAllowAllAgents: true }, response },
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
      summary: `Delete ${provider} credentials`,
      description: `Deletes the credentials of ${provider}. Fails with 404 if none are stored.`,
      example: {},
      status: 204,
      errorStatuses: [404],
    }),
  };
}

/** What an account can do with its configuration of each vendor. */
export const telephonyConfigOperations = ofEachTelephonyAccount(({ key, account }) =>
  operationsOf(key, account),
);

const firstExample = telephonyExample(TELEPHONY_VENDORS[0].account);

export const getAccountTelephonyConfig = defineOperation({
  id: 'getAccountTelephonyConfig',
  method: 'GET',
  path: '/api/accounts/me/telephony_config',
  tag,
  summary: 'Get all telephony credentials',
  description:
    'Deprecated: use `/api/telephony_configs`. Returns the credentials of all telephony providers, without secrets.',
  example: { response: { [TELEPHONY_VENDORS[0].key]: firstExample.response } },
  deprecated: true,
  status: 200,
  response: AccountTelephonyConfig,
});

export const updateAccountTelephonyConfig = defineOperation({
  id: 'updateAccountTelephonyConfig',
  method: 'PATCH',
  path: '/api/accounts/me/telephony_config',
  tag,
  summary: 'Update all telephony credentials',
  description:
    'Deprecated: use `/api/telephony_configs`. Creates or changes credentials of telephony providers; null deletes them. Fails with 409 if they change at the same time.',
  example: {
    body: { [TELEPHONY_VENDORS[0].key]: firstExample.body },
    response: { [TELEPHONY_VENDORS[0].key]: firstExample.response },
  },
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
  summary: 'Answer an incoming phone call',
  description: `Webhook of ${TELEPHONY_PROVIDERS.join(', ')}: creates a call of the agent and returns instructions that stream the phone call to it. A status callback creates no call, and ends its call if the phone call is over. Needs no key, but the provider's signature. Fails with 401 for another signature, 403 if the agent is not allowed, and otherwise like \`POST /api/calls\`.`,
  example: { body: { CallSid: 'CA0123456789abcdef', From: '+4930123456', To: '+4930654321' } },
  open: true,
  body: Type.Unknown({ description: 'Request of the provider.' }),
  otherBodies: {
    'application/x-www-form-urlencoded': Type.Unknown({ description: 'Request of the provider.' }),
  },
  maxBodyBytes: 65_536,
  status: 200,
  otherResponses: [
    {
      status: 200,
      mediaType: 'text/xml',
      description: 'Instructions to stream the phone call to `joinUrl`.',
    },
  ],
  errorStatuses: [401, 402, 403, 413, 415, 422, 429, 503],
});

export const telephonyOperations = [
  ...Object.values(telephonyConfigOperations).flatMap((operations) => Object.values(operations)),
  getAccountTelephonyConfig,
  updateAccountTelephonyConfig,
  startTelephonyCall,
];

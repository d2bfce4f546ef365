import { ChangedSipConfig, SipConfig, SipRegistration } from '../rest/sip.ts';
import { exampleIds, pageOf } from './examples/example-values.ts';
import { sipConfig, sipRegistration, sipRegistrationBody } from './examples/telephony.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'SIP';
const path = '/api/sip/registrations/{registration_id}';

export const getSipConfig = defineOperation({
  id: 'getSipConfig',
  method: 'GET',
  path: '/api/sip',
  tag,
  summary: 'Get SIP settings',
  description:
    'Returns who may call in by SIP, and which agents take the calls. Fails with 403 if the account lacks the feature `sip`.',
  example: { response: sipConfig },
  status: 200,
  response: SipConfig.Response,
  errorStatuses: [403],
});

export const updateSipConfig = defineOperation({
  id: 'updateSipConfig',
  method: 'PATCH',
  path: '/api/sip',
  tag,
  summary: 'Update SIP settings',
  description:
    'Changes who may call in by SIP. `fallbackHandler: null` removes the handler; without `secrets`, the stored ones do not change. Fails with 403 if the account lacks the feature `sip`.',
  example: {
    body: {
      allowedCidrRanges: ['203.0.113.0/24'],
      allowedAgents: [{ agentId: exampleIds.agent, toUserPattern: '^100[0-9]$' }],
    },
    response: sipConfig,
  },
  body: SipConfig.Patch,
  status: 200,
  response: ChangedSipConfig,
  errorStatuses: [403],
});

export const listSipRegistrations = {
  ...defineList({
    id: 'listSipRegistrations',
    path: '/api/sip/registrations',
    tag,
    summary: 'List SIP registrations',
    description:
      'Returns the registrations of the account with other SIP servers, newest first. Fails with 403 if the account lacks the feature `sip`.',
    example: { response: pageOf(sipRegistration) },
    item: SipRegistration.Response,
    itemName: 'SipRegistration',
  }),
  errorStatuses: [403],
};

export const createSipRegistration = defineOperation({
  id: 'createSipRegistration',
  method: 'POST',
  path: '/api/sip/registrations',
  tag,
  summary: 'Create a SIP registration',
  description:
    'Adds a registration with another SIP server. Fails with 403 if the account lacks the feature `sip`, and 409 if there is one with the same `username` and `proxy`.',
  example: { body: sipRegistrationBody, response: sipRegistration },
  body: SipRegistration.Request,
  status: 201,
  response: SipRegistration.Response,
  errorStatuses: [403, 409],
});

export const getSipRegistration = defineOperation({
  id: 'getSipRegistration',
  method: 'GET',
  path,
  tag,
  summary: 'Get a SIP registration',
  description:
    'Returns a registration without its password. Fails with 403 if the account lacks the feature `sip`.',
  example: { response: sipRegistration },
  status: 200,
  response: SipRegistration.Response,
  errorStatuses: [403],
});

export const updateSipRegistration = defineOperation({
  id: 'updateSipRegistration',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a SIP registration',
  description:
    'Changes a registration; `successful` becomes null until the next attempt. Fails with 403 if the account lacks the feature `sip`, and 409 if there is one with the same `username` and `proxy`.',
  example: {
    body: { outboundProxy: 'proxy.example.com' },
    response: { ...sipRegistration, outboundProxy: 'proxy.example.com' },
  },
  body: SipRegistration.Patch,
  status: 200,
  response: SipRegistration.Response,
  errorStatuses: [403, 409],
});

export const deleteSipRegistration = defineOperation({
  id: 'deleteSipRegistration',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a SIP registration',
  description: 'Deletes a registration. Fails with 403 if the account lacks the feature `sip`.',
  example: {},
  status: 204,
  errorStatuses: [403],
});

export const sipOperations = [
  getSipConfig,
  updateSipConfig,
  listSipRegistrations,
  createSipRegistration,
  getSipRegistration,
  updateSipRegistration,
  deleteSipRegistration,
];

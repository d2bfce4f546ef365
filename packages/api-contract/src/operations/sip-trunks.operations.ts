import { SipTrunk } from '../rest/sip-trunk.ts';
import { pageOf } from './examples/example-values.ts';
import { sipTrunk, sipTrunkBody } from './examples/telephony.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'SIP';
const path = '/api/sip/trunks/{trunk_id}';

export const listSipTrunks = {
  ...defineList({
    id: 'listSipTrunks',
    path: '/api/sip/trunks',
    tag,
    summary: 'List SIP trunks',
    description:
      'Returns the SIP trunks of the account, newest first. Fails with 403 if the account lacks the feature `sip`.',
    example: { response: pageOf(sipTrunk) },
    item: SipTrunk.Response,
    itemName: 'SipTrunk',
  }),
  errorStatuses: [403],
};

export const createSipTrunk = defineOperation({
  id: 'createSipTrunk',
  method: 'POST',
  path: '/api/sip/trunks',
  tag,
  summary: 'Create a SIP trunk',
  description:
    'Adds a SIP trunk: who may call through it, and how calls are placed through it. Fails with 403 if the account lacks the feature `sip`, and 409 if the account has 100 trunks.',
  example: { body: sipTrunkBody, response: sipTrunk },
  body: SipTrunk.Request,
  status: 201,
  response: SipTrunk.Response,
  errorStatuses: [403, 409],
});

export const getSipTrunk = defineOperation({
  id: 'getSipTrunk',
  method: 'GET',
  path,
  tag,
  summary: 'Get a SIP trunk',
  description:
    'Returns a SIP trunk without its passwords. Fails with 403 if the account lacks the feature `sip`.',
  example: { response: sipTrunk },
  status: 200,
  response: SipTrunk.Response,
  errorStatuses: [403],
});

export const updateSipTrunk = defineOperation({
  id: 'updateSipTrunk',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a SIP trunk',
  description:
    'Changes a SIP trunk. Live calls continue. If a request has a user name without its password, the stored password does not change. Fails with 403 if the account lacks the feature `sip`.',
  example: { body: { enabled: false }, response: { ...sipTrunk, enabled: false } },
  body: SipTrunk.Patch,
  status: 200,
  response: SipTrunk.Response,
  errorStatuses: [403],
});

export const deleteSipTrunk = defineOperation({
  id: 'deleteSipTrunk',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a SIP trunk',
  description:
    'Deletes a SIP trunk. Live calls continue. Fails with 403 if the account lacks the feature `sip`.',
  example: {},
  status: 204,
  errorStatuses: [403],
});

export const sipTrunkOperations = [
  listSipTrunks,
  createSipTrunk,
  getSipTrunk,
  updateSipTrunk,
  deleteSipTrunk,
];

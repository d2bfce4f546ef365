import { ChangedSipConfig, SipConfig, SipRegistration } from '../rest/sip.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'SIP';
const path = '/api/sip/registrations/{registration_id}';

export const getSipConfig = defineOperation({
  id: 'getSipConfig',
  method: 'GET',
  path: '/api/sip',
  tag,
  summary: 'Gets who may call in by SIP.',
  status: 200,
  response: SipConfig.Response,
  errorStatuses: [403],
});

export const updateSipConfig = defineOperation({
  id: 'updateSipConfig',
  method: 'PATCH',
  path: '/api/sip',
  tag,
  summary: 'Changes who may call in by SIP.',
  description: 'A `fallbackHandler` of null removes it; one without `secrets` keeps those there are.',
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
    summary: 'Lists the registrations of the account, newest first.',
    item: SipRegistration.Response,
    itemName: 'SipRegistration',
  }),
  refusals: [403],
};

export const createSipRegistration = defineOperation({
  id: 'createSipRegistration',
  method: 'POST',
  path: '/api/sip/registrations',
  tag,
  summary: 'Adds a registration.',
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
  summary: 'Gets a registration.',
  status: 200,
  response: SipRegistration.Response,
  errorStatuses: [403],
});

export const updateSipRegistration = defineOperation({
  id: 'updateSipRegistration',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes a registration, which is then tried anew.',
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
  summary: 'Removes a registration.',
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

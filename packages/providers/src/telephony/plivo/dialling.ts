import { basicAuthorization, textAt, mergeCustomerParameters, type DialDialect } from '../dialling.ts';

/** Plivo's Voice API. */
export const plivoDialling: DialDialect = {
  request({ identifiers, secrets, to, from, answerUrl, statusUrl, ringLimitS, additionalParams }) {
    const { authId = '' } = identifiers;
    const parameters = mergeCustomerParameters(additionalParams, {
      required: { to, from, answer_url: answerUrl, answer_method: 'POST' },
      defaults: { hangup_url: statusUrl, hangup_method: 'POST' },
      forbidden: [],
      ringLimit: { name: 'ring_timeout', seconds: ringLimitS },
    });
    return {
      path: `/v1/Account/${encodeURIComponent(authId)}/Call/`,
      headers: {
        authorization: basicAuthorization(authId, secrets['authToken']),
        'content-type': 'application/json',
      },
      body: JSON.stringify(parameters),
    };
  },
  hangUp({ identifiers, secrets }, providerCallId) {
    const { authId = '' } = identifiers;
    const [account, call] = [authId, providerCallId].map(encodeURIComponent);
    return {
      method: 'DELETE',
      // The provider identifies a ringing call by the id of its request.
      path: `/v1/Account/${account}/Request/${call}/`,
      headers: { authorization: basicAuthorization(authId, secrets['authToken']) },
    };
  },
  providerCallId: (response) => textAt(response, 'request_uuid'),
  refusal: (response) => textAt(response, 'error') ?? textAt(response, 'message'),
};

import { textAt, mergeCustomerParameters, type DialDialect } from '../dialling.ts';

/** Ring times that the provider accepts, in seconds. */
const RING_S = { min: 5, max: 120 };

/** Telnyx's TeXML API. */
export const telnyxDialling: DialDialect = {
  request({ identifiers, secrets, to, from, answerUrl, statusUrl, ringLimitS, additionalParams }) {
    const { accountSid = '', applicationSid = '' } = identifiers;
    const parameters = mergeCustomerParameters(additionalParams, {
      required: { ApplicationSid: applicationSid, To: to, From: from, Url: answerUrl, UrlMethod: 'POST' },
      defaults: {
        StatusCallback: statusUrl,
        StatusCallbackMethod: 'POST',
        StatusCallbackEvent: 'completed',
      },
      // With these the provider would not request our instructions, or would attach the call to another one.
      forbidden: ['Texml', 'SuperviseCallSid'],
      ringLimit: { name: 'Timeout', seconds: Math.min(Math.max(ringLimitS, RING_S.min), RING_S.max) },
    });
    return {
      path: `/v2/texml/Accounts/${encodeURIComponent(accountSid)}/Calls`,
      headers: {
        authorization: `Bearer ${secrets['apiKey'] ?? ''}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(parameters),
    };
  },
  hangUp({ identifiers, secrets }, providerCallId) {
    const [account, call] = [identifiers['accountSid'] ?? '', providerCallId].map(encodeURIComponent);
    return {
      method: 'POST',
      path: `/v2/texml/Accounts/${account}/Calls/${call}`,
      headers: {
        authorization: `Bearer ${secrets['apiKey'] ?? ''}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'Status=completed',
    };
  },
  providerCallId: (response) => textAt(response, 'call_sid') ?? textAt(response, 'sid'),
  refusal: (response) => textAt(response, 'errors', 0, 'detail') ?? textAt(response, 'errors', 0, 'title'),
};

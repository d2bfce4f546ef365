import { basicAuthorization, textAt, mergeCustomerParameters, type DialDialect } from '../dialling.ts';

/** The provider's maximum ring time. */
const MAX_RING_S = 600;

/** Twilio's REST API. */
export const twilioDialling: DialDialect = {
  request({ identifiers, secrets, to, from, answerUrl, statusUrl, ringLimitS, additionalParams }) {
    const { accountSid = '' } = identifiers;
    const parameters = mergeCustomerParameters(additionalParams, {
      required: { To: to, From: from, Url: answerUrl, Method: 'POST' },
      // By default the provider reports only the end, which is sufficient.
      defaults: { StatusCallback: statusUrl, StatusCallbackMethod: 'POST' },
      // With either of these the provider would not request our instructions.
      forbidden: ['Twiml', 'ApplicationSid'],
      ringLimit: { name: 'Timeout', seconds: Math.min(ringLimitS, MAX_RING_S) },
    });
    return {
      path: `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Calls.json`,
      headers: {
        authorization: basicAuthorization(accountSid, secrets['authToken']),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form(parameters).toString(),
    };
  },
  hangUp({ identifiers, secrets }, providerCallId) {
    const { accountSid = '' } = identifiers;
    const [account, call] = [accountSid, providerCallId].map(encodeURIComponent);
    return {
      method: 'POST',
      path: `/2010-04-01/Accounts/${account}/Calls/${call}.json`,
      headers: {
        authorization: basicAuthorization(accountSid, secrets['authToken']),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'Status=completed',
    };
  },
  providerCallId: (response) => textAt(response, 'sid'),
  refusal: (response) => textAt(response, 'message'),
};

/** Lists repeat the name for each item, objects become JSON, null is omitted. */
function form(parameters: Readonly<Record<string, unknown>>): URLSearchParams {
  const fields = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value])
      .filter((each) => each !== null && each !== undefined)
      .map((each): [string, string] => [name, typeof each === 'string' ? each : JSON.stringify(each)]),
  );
  return new URLSearchParams(fields);
}

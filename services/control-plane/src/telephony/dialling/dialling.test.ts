import { describe, expect, it } from '@jest/globals';
import type { Dial } from '@calls/providers/telephony/dialling';
import { TELEPHONY_ACCOUNTS } from '@calls/providers/telephony/telephony-vendors';

const dial: Dial = {
  identifiers: { accountSid: 'a/c', authId: 'MA1', applicationSid: 'app' },
  secrets: { authToken: 'secret', apiKey: 'KEY1' },
  to: '+15550001',
  from: '+15550002',
  answerUrl: 'https://api.test/telephony/1/answer?token=t',
  statusUrl: 'https://api.test/telephony/1/status?token=t',
  ringLimitS: 27,
  additionalParams: {},
};
const telephony1 = TELEPHONY_ACCOUNTS.telephony1.dialling;
const telephony2 = TELEPHONY_ACCOUNTS.telephony2.dialling;
const telephony3 = TELEPHONY_ACCOUNTS.telephony3.dialling;

describe('telephony1 request', () => {
  const form = (additionalParams: Dial['additionalParams'], ringLimitS = 27): [string, string][] => [
    ...new URLSearchParams(telephony1.request({ ...dial, additionalParams, ringLimitS }).body),
  ];
  const ours: [string, string][] = [
    ['StatusCallback', dial.statusUrl],
    ['StatusCallbackMethod', 'POST'],
    ['To', '+15550001'],
    ['From', '+15550002'],
    ['Url', dial.answerUrl],
    ['Method', 'POST'],
    ['Timeout', '27'],
  ];

  it('is a form', () => {
    const { path, headers } = telephony1.request(dial);
    expect(path).toBe('/2010-04-01/Accounts/a%2Fc/Calls.json');
    expect(headers['authorization']).toBe(`Basic ${Buffer.from('a/c:secret').toString('base64')}`);
    expect(form({})).toEqual(ours);
    expect(form({}, 3600).at(-1)).toEqual(['Timeout', '600']);
  });

  it('accepts additional parameters, which override optional ones', () => {
    const theirs = {
      StatusCallback: 'https://theirs.test',
      StatusCallbackEvent: ['ringing', 'completed'],
      Record: true,
      CallReason: null,
      Timeout: '10',
    };
    expect(Object.fromEntries(form(theirs))).toEqual({
      ...Object.fromEntries(ours),
      StatusCallback: 'https://theirs.test',
      StatusCallbackEvent: 'completed',
      Record: 'true',
      Timeout: '10',
    });
    expect(form(theirs).filter(([name]) => name === 'StatusCallbackEvent')).toHaveLength(2);
  });

  it('ignores additional parameters that would break the call', () => {
    const theirs = {
      Url: 'https://theirs.test',
      url: 'https://theirs.test',
      METHOD: 'GET',
      To: '+1666',
      Twiml: '<Response/>',
      applicationsid: 'AP1',
      Timeout: 600,
    };
    expect(form(theirs)).toEqual(ours);
  });

  it('has the call id or the error message of the provider in its response', () => {
    expect(telephony1.providerCallId({ sid: 'CA1' })).toBe('CA1');
    for (const answer of [null, 'x', [], { sid: 1 }, { sid: '' }, {}]) {
      expect(telephony1.providerCallId(answer)).toBeNull();
      expect(telephony1.refusal(answer)).toBeNull();
    }
    expect(telephony1.refusal({ code: 21211, message: 'Invalid number', status: 400 })).toBe(
      'Invalid number',
    );
  });
});

describe('telephony2 request', () => {
  const sent = (additionalParams: Dial['additionalParams'], ringLimitS = 27): unknown =>
    JSON.parse(telephony2.request({ ...dial, additionalParams, ringLimitS }).body);
  const ours = {
    ApplicationSid: 'app',
    To: '+15550001',
    From: '+15550002',
    Url: dial.answerUrl,
    UrlMethod: 'POST',
    StatusCallback: dial.statusUrl,
    StatusCallbackMethod: 'POST',
    StatusCallbackEvent: 'completed',
    Timeout: 27,
  };

  it('is JSON', () => {
    const { path, headers } = telephony2.request(dial);
    expect(path).toBe('/v2/texml/Accounts/a%2Fc/Calls');
    expect(headers).toEqual({
      authorization: 'Bearer KEY1',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(sent({})).toEqual(ours);
    expect([sent({}, 2), sent({}, 3600)]).toMatchObject([{ Timeout: 5 }, { Timeout: 120 }]);
  });

  it('accepts additional parameters, except those that would break the call', () => {
    const free = { AsyncAmd: true, CustomHeaders: [{ name: 'X-A', value: 'b' }] };
    const undoing = { ApplicationSid: 'other', Texml: '<Response/>', SuperviseCallSid: 'v3:1', Timeout: 60 };
    expect(sent({ ...free, ...undoing })).toEqual({ ...ours, ...free });
    expect(sent({ Timeout: 12.7 })).toMatchObject({ Timeout: 12 });
    for (const Timeout of ['soon', 0, -1, null, {}]) expect(sent({ Timeout })).toEqual(ours);
  });

  it('has the call id or the error message of the provider in its response', () => {
    expect(telephony2.providerCallId({ call_sid: 'v3:1' })).toBe('v3:1');
    expect(telephony2.providerCallId({ from: '+1', status: 'queued', to: '+2' })).toBeNull();
    const errors = [{ code: '10009', title: 'Authentication failed', detail: 'No key found' }];
    expect(telephony2.refusal({ errors })).toBe('No key found');
    expect(telephony2.refusal({ errors: [{ title: 'Authentication failed' }] })).toBe(
      'Authentication failed',
    );
    expect(telephony2.refusal({ errors: [] })).toBeNull();
  });
});

describe('telephony3 request', () => {
  const sent = (additionalParams: Dial['additionalParams']): unknown =>
    JSON.parse(telephony3.request({ ...dial, additionalParams }).body);
  const ours = {
    to: '+15550001',
    from: '+15550002',
    answer_url: dial.answerUrl,
    answer_method: 'POST',
    hangup_url: dial.statusUrl,
    hangup_method: 'POST',
    ring_timeout: 27,
  };

  it('is JSON', () => {
    const { path, headers } = telephony3.request(dial);
    expect(path).toBe('/v1/Account/MA1/Call/');
    expect(headers['authorization']).toBe(`Basic ${Buffer.from('MA1:secret').toString('base64')}`);
    expect(sent({})).toEqual(ours);
  });

  it('accepts additional parameters, except those that would break the call', () => {
    const free = { machine_detection: 'true', hangup_url: 'https://theirs.test' };
    expect(sent({ ...free, answer_url: 'https://x.test', to: '1<2', ring_timeout: 120 })).toEqual({
      ...ours,
      ...free,
    });
  });

  it('has the call id or the error message of the provider in its response', () => {
    const answer = { message: 'call fired', request_uuid: '9834', api_id: '97ce' };
    expect(telephony3.providerCallId(answer)).toBe('9834');
    expect(telephony3.refusal({ api_id: '1', error: 'from is required' })).toBe('from is required');
  });
});

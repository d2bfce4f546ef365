import { expect, it } from '@jest/globals';
import { phoneNumbers } from './phone-numbers.ts';

const CALLED = '+4930123450';
const CALLER = '+4930123451';

it.each([
  [
    'an outgoing call through a provider',
    { medium: { telephony1: { outgoing: { to: CALLED, from: CALLER } } } },
  ],
  ['an outgoing call by SIP', { medium: { sip: { outgoing: { to: CALLED, from: CALLER } } } }],
  [
    'an incoming call through a provider',
    {
      medium: { telephony2: {} },
      requestContext: { telephony2: { To: CALLED, From: CALLER, CallSid: 'c' } },
    },
  ],
  [
    'an incoming call by SIP',
    {
      medium: { sip: { incoming: {} } },
      requestContext: {
        sip: {
          to: { uri: CALLED, user: CALLED, displayName: '' },
          from: { uri: CALLER, user: CALLER, displayName: 'Ada' },
          headers: {},
        },
      },
    },
  ],
])('the phone numbers of %s', (_, call) => {
  expect(phoneNumbers(call)).toEqual({ called: CALLED, caller: CALLER });
});

it.each([
  { medium: { webRtc: {} }, requestContext: null },
  { medium: {}, requestContext: null },
  { medium: { telephony1: {} }, requestContext: { telephony1: { To: 7 } } },
  { medium: { sip: { incoming: {} } } },
])('%j has no known phone numbers', (call) => {
  expect(phoneNumbers(call)).toEqual({ called: null, caller: null });
});

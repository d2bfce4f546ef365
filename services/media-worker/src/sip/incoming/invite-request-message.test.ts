import { describe, expect, it } from '@jest/globals';
import { callerRequestMessage } from './invite-request-message.ts';

describe('callerRequestMessage', () => {
  it.each([
    ['sip:+4930123;cpc=ordinary@a.sip.test;user=phone', 'sip:+4930123;cpc=ordinary@a.sip.test'],
    ['sip:+4930123;npdi@a.sip.test', 'sip:+4930123;npdi@a.sip.test'],
    ['sip:agent@a.sip.test:5080;transport=tcp', 'sip:agent@a.sip.test:5080'],
    ['sip:a.sip.test;transport=tcp', 'sip:a.sip.test'],
    ['tel:+4930123;npdi', 'tel:+4930123'],
  ])('has the URI without its parameters: %s', (uri, expected) => {
    const party = { displayName: '', uri, user: '', host: '' };
    const source = { transport: 'udp', address: '192.0.2.1', port: 5060 } as const;
    const { to } = callerRequestMessage({ requestUri: 'sip:a@a.sip.test', to: party, source });
    expect(to.uri).toBe(expected);
  });
});

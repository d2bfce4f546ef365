import { describe, expect, it } from '@jest/globals';
import { requestIssues, sipTlsIssues } from './request-issues.ts';
import { fromAddress } from './sip-address.ts';

const paths = (to: string, from: string): string[] =>
  requestIssues({ medium: { sip: { outgoing: { to, from } } } }).map(({ path }) => path);

describe('addresses of an outgoing SIP call', () => {
  it.each([
    ['sip:desk@example.com', '+4930123456'],
    ['sip:desk@example.com:5070;transport=tcp', 'sip:ada@example.org'],
    ['desk@192.0.2.7', '"Ada, of us" <sip:ada@example.org>'],
    ['SIP:desk:secret@[2001:db8::1]:5060', 'Ada <ada@example.org>'],
    ['sip:pbx.example.com', 'ada'],
    ['tel:+4930123456', 'sip:+49301@trunk.example.com'],
    ['<sip:desk@example.com>', '*9'],
    ['sips:desk@example.com', 'ada'],
    ['sip:desk@example.com;transport=tls', 'ada'],
  ])('accept a call to %s from %s', (to, from) => {
    expect(paths(to, from)).toEqual([]);
  });

  it.each([
    ['+4930123456', '+4930'],
    ['desk', 'ada'],
    ['https://example.com', 'ada'],
    ['sip:desk@', 'ada'],
    ['sip:a b@example.com', 'ada'],
    ['sip:a@example.com\r\nVia: x', 'ada'],
    ['sip:a@example.com?Subject=x', 'ada'],
    ['<sip:a@example.com', 'ada'],
    ['sip:a@example.com>', 'ada'],
    [`sip:${'a@'.repeat(100)}`, 'ada'],
    ['sips:desk@example.com;transport=udp', 'ada'],
    ['<sip:desk@example.com;Transport=ws>', 'ada'],
  ])('reject the "to" address %j', (to, from) => {
    expect(paths(to, from)).toEqual(['medium.sip.outgoing.to']);
  });

  it.each([
    ['sip:desk@example.com', 'two words'],
    ['sip:desk@example.com', '"Ada\r\nX: y" <sip:ada@example.org>'],
    ['sip:desk@example.com', ''],
    // A tel: callee has no host that would complete the number.
    ['tel:+4930123456', '+49301'],
  ])('reject, for a call to %s, the "from" address %j', (to, from) => {
    expect(paths(to, from)).toEqual(['medium.sip.outgoing.from']);
  });

  it.each([
    ['sips:desk@example.com', 'ada', 'to'],
    ['"Desk" <sip:desk@example.com;Transport=TLS>', 'ada', 'to'],
    ['tel:+4930123456', 'sips:ada@example.com', 'from'],
  ])('require TLS for a call to %s from %s', (to, from, field) => {
    const request = { medium: { sip: { outgoing: { to, from } } } };
    expect(sipTlsIssues(request, true)).toEqual([]);
    expect(sipTlsIssues(request, false)).toMatchObject([{ path: `medium.sip.outgoing.${field}` }]);
  });

  it('do not require TLS for a sip: callee, even from a sips: address', () => {
    const outgoing = { to: 'sip:desk@example.com', from: 'sips:ada@example.com' };
    expect(sipTlsIssues({ medium: { sip: { outgoing } } }, false)).toEqual([]);
  });

  it.each([
    ['+4930', 'sip:desk@example.com:5070;transport=tcp', 'sip:+4930@example.com'],
    ['+1 (415) 555-0100', 'sip:desk@example.com', 'sip:+14155550100@example.com'],
    ['front-desk.2', 'sip:desk@example.com', 'sip:front-desk.2@example.com'],
    ['ada', 'desk@[2001:db8::1]', 'sip:ada@[2001:db8::1]'],
    ['ada@example.org', 'sip:desk@example.com', 'ada@example.org'],
    ['"A" <sip:a@b.test>', 'tel:+1', '"A" <sip:a@b.test>'],
  ])('complete the "from" address %s of a call to %s as %s', (from, to, address) => {
    expect(fromAddress(from, to)).toBe(address);
  });
});

import { describe, expect, it } from '@jest/globals';
import { sipHeaderIssues } from './sip-headers.ts';

const issues = (headers: Record<string, unknown>) =>
  sipHeaderIssues({ medium: { sip: { outgoing: { headers } } } });

describe('sipHeaderIssues', () => {
  it('accepts custom headers and identity headers', () => {
    expect(
      issues({ 'X-Order': 'a "b"; c=ü', 'P-Asserted-Identity': '<sip:+4930@example.com>', Privacy: 'id' }),
    ).toEqual([]);
    expect(sipHeaderIssues({ medium: { sip: { outgoing: {} } } })).toEqual([]);
  });

  it.each([
    'Via',
    'contact',
    'Content-Type',
    'CONTENT-LENGTH',
    'Route',
    'v',
    'X Order',
    'X-Order:',
    '',
    'X-\r\nVia',
  ])('rejects the header name %j', (name) => {
    expect(issues({ [name]: 'x' })).toMatchObject([{ path: `medium.sip.outgoing.headers.${name}` }]);
  });

  it.each(['a\r\nVia: x', 'a\nb', 'a\0b'])('rejects the header value %j', (value) => {
    expect(issues({ 'X-Order': value })).toMatchObject([{ path: 'medium.sip.outgoing.headers.X-Order' }]);
  });

  it('rejects headers that exceed the limit of their total length', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`X-${i}`, 'x'.repeat(500)]));
    expect(issues(many)).toMatchObject([{ path: 'medium.sip.outgoing.headers' }]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { isAllowedTarget, transferTarget } from './transfer-target.ts';

describe('transferTarget', () => {
  it.each([
    ['+4930123456', '+4930123456'],
    [' +1 (555) 010-0199 ', '+15550100199'],
    ['49.30.123.456', '4930123456'],
    ['112', '112'],
    ['sip:desk@example.com', 'sip:desk@example.com'],
    ['sips:desk@pbx.example.com:5061;transport=tls', 'sips:desk@pbx.example.com:5061;transport=tls'],
    ['SIP:+15550100@[2001:db8::1]:5060', 'SIP:+15550100@[2001:db8::1]:5060'],
    ['sip:pbx.example.com', 'sip:pbx.example.com'],
  ])('accepts %s', (given, taken) => {
    expect(transferTarget(given)).toBe(taken);
  });

  it.each([
    '',
    '+',
    '12',
    '+0301234567',
    '+1234567890123456',
    'the front desk',
    '+1555x0100',
    'tel:+15550100',
    'https://example.com',
    'sip:',
    'sip:desk@',
    'sip:a@b?Subject=x',
    'sip:a b@example.com',
    'sip:a@example.com"/><Hangup/>',
    'sip:<a>@example.com',
    `sip:${'a'.repeat(300)}@example.com`,
    `sip:${'a@'.repeat(100)}`,
  ])('rejects %s', (given) => {
    expect(transferTarget(given)).toBeNull();
  });
});

describe('isAllowedTarget', () => {
  it.each([
    ['+4930123456', ['+4930123456'], true],
    ['+4930123456', ['+4989*', '+4930*'], true],
    ['+4930123456', ['*'], true],
    ['sip:Desk@Example.com', ['sip:*@example.com'], true],
    ['+4930123456', ['+4930'], false],
    ['+4930123456', ['+4989*', 'sip:*'], false],
    ['+19005550100', ['+49*'], false],
    ['sip:desk@example.com.test', ['sip:*@example.com'], false],
    ['sip:desk@other.test;x=example.com', ['sip:*@example.com'], false],
    ['+493', ['+49*93'], false],
    ['+4930', [], false],
  ] as const)('for target %s and allowlist %j returns %s', (target, patterns, isAllowed) => {
    expect(isAllowedTarget(target, patterns)).toBe(isAllowed);
  });
});

import { describe, expect, it } from '@jest/globals';
import { hostOf, transferUri } from './sip-address.ts';

describe('hostOf', () => {
  it.each([
    ['sip:agent@calls.test', 'calls.test'],
    ['sip:a:secret@calls.test:5060;transport=tcp', 'calls.test'],
    ['sips:calls.test', 'calls.test'],
    ['ada@calls.test', 'calls.test'],
    ['"Ada" <sip:ada@192.0.2.1:5070>', '192.0.2.1'],
    ['sip:ada@[2001:db8::1]:5060', '[2001:db8::1]'],
    ['tel:+4930123456', null],
    ['', null],
  ])('%j returns %j', (address, host) => {
    expect(hostOf(address)).toBe(host);
  });
});

describe('transferUri', () => {
  const outgoing = {
    direction: 'outgoing',
    to: 'sip:+493012@trunk.test:5070',
    from: 'sip:a@calls.test',
  } as const;

  it('converts a number to a URI of the peer’s host, and does not change a URI', () => {
    expect(transferUri('+4930654321', outgoing)).toBe('sip:+4930654321@trunk.test:5070');
    const incoming = { direction: 'incoming', to: 'sip:agent@calls.test', from: 'sip:ann@pbx.test' } as const;
    expect(transferUri('+4930654321', incoming)).toBe('sip:+4930654321@pbx.test');
    expect(transferUri('12', { ...outgoing, to: 'tel:+493012' })).toBe('sip:12@calls.test');
    expect(transferUri('sip:desk@pbx.test', outgoing)).toBe('sip:desk@pbx.test');
    expect(transferUri('+4930654321', { ...incoming, from: '' })).toBe('tel:+4930654321');
  });

  it('uses the host of the Contact if the caller hides its address', () => {
    const from = 'sip:anonymous@anonymous.invalid';
    const hidden = { direction: 'incoming', to: 'sip:agent@calls.test', from } as const;
    const contact = 'sip:trunk@192.0.2.7:5080;transport=tcp';
    expect(transferUri('+4930654321', hidden, contact)).toBe('sip:+4930654321@192.0.2.7:5080');
    expect(transferUri('+4930654321', hidden)).toBe('tel:+4930654321');
  });
});

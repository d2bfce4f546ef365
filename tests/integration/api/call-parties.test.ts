import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

const openAccount = () => harness.account('SCALE', null, ['sip', 'retentionPolicy']);

function dial(owner: TestAccount, to: string, extra: Record<string, unknown> = {}): Promise<Call> {
  return owner.createCall({ medium: { sip: { outgoing: { to, from: 'sip:desk@pbx.test' } } }, ...extra });
}

/** A call whose provider announced the numbers. */
async function receive(owner: TestAccount, context: Record<string, unknown>): Promise<Call> {
  const call = await owner.createCall();
  const [name = ''] = Object.keys(context);
  await harness.query(
    `update calls set request_context = $2, settings = jsonb_set(settings, '{medium}', $3) where call_id = $1`,
    call.callId,
    context,
    { [name]: {} },
  );
  return call;
}

async function end({ callId }: Call): Promise<void> {
  await harness.query(
    `update calls set ended_at = now(), end_reason = 'unjoined' where call_id = $1`,
    callId,
  );
}

async function found(owner: TestAccount, search: string, list = 'calls', filters = ''): Promise<string[]> {
  const path = `/api/${list}?search=${encodeURIComponent(search)}${filters}`;
  const { results, total } = await owner.list<Call>(path);
  expect(total).toBe(results.length);
  return results.map(({ callId }) => callId);
}

describe('the search for the number of a phone call', () => {
  it.each([
    ['sip:+491701234567@carrier.test', '+491701234567'],
    ['sip:+491701234567@carrier.test', '+49 (0)170 / 123-4567'],
    ['sip:+491701234567@carrier.test', '\u202a+49\u00a0170\u00a01234567\u202c'],
    ['sip:+491701234567@carrier.test', '0049 170 1234567'],
    ['sip:+491701234567@carrier.test', '0170 1234567'],
    ['sip:+491701234567@carrier.test', '0170 1234'],
    ['sip:+491701234567@carrier.test', '+49 170 12'],
    ['sip:+491701234567@carrier.test', 'tel:+49-170-1234567'],
    ['sip:+491701234567@carrier.test', 'sip:+491701234567@other.test;user=phone'],
    ['sip:01701234567@carrier.test', '+49 170 1234567'],
    ['sip:491701234567@carrier.test', '0170 1234567'],
    ['sip:491701234567@carrier.test', '4917'],
    ['tel:+1-212-555-0100', '(212) 555-0100'],
    ['tel:+390612345678', '06 12345678'],
    ['tel:+35312345678', '01 2345678'],
    ['sip:front-desk@pbx.test:5070', 'front-desk'],
    ['sip:front-desk@pbx.test:5070', 'sip:front-desk@pbx.test'],
    ['sip:1001@10.0.0.1', '1001'],
  ])('finds a call to %s by %s', async (to, search) => {
    const owner = await openAccount();
    const call = await dial(owner, to);
    await dial(owner, 'tel:+491999999999');
    expect(await found(owner, search)).toEqual([call.callId]);
    expect(await found(await openAccount(), search)).toEqual([]);
  });

  it.each([
    ['tel:+491701234567', '+49 170 1234568'],
    ['tel:+491701234567', '+43 1702 234567'],
    ['tel:+491701234567', '1234567'],
    ['tel:+12125550100', '(312) 555-0100'],
    ['sip:2125550100@carrier.test', '(221) 555-0100'],
    ['sip:2125550100@carrier.test', '(312) 555-0100'],
    ['tel:+491701234567', 'refund 0170 1234567'],
    ['tel:+491701234567', '0000000'],
    ['tel:+491701234567', '+49 0000001'],
  ])('does not find a call to %s by %s', async (to, search) => {
    const owner = await openAccount();
    await dial(owner, to);
    expect(await found(owner, search)).toEqual([]);
  });

  it('finds received calls by both parties', async () => {
    const owner = await openAccount();
    const provider = await receive(owner, { telephony1: { To: '+4930555555', From: '+491701234567' } });
    const sip = await receive(owner, {
      sip: { to: { uri: 'sip:desk@pbx.test' }, from: { uri: 'sip:+491701234567@carrier.test' } },
    });
    expect(await found(owner, '0170 1234567')).toEqual([sip.callId, provider.callId]);
    expect(await found(owner, '030 555555')).toEqual([provider.callId]);
    expect(await found(owner, 'desk')).toEqual([sip.callId]);
  });

  it('combines with other filters, and pages through the calls', async () => {
    const owner = await openAccount();
    const calls: string[] = [];
    for (const room of ['1', '2', '1']) {
      calls.unshift((await dial(owner, 'tel:+491701234567', { metadata: { room } })).callId);
    }
    expect(await found(owner, '0170 1234567', 'calls', '&metadata[room]=2')).toEqual([calls[1]]);
    const first = await owner.list<Call>('/api/calls?search=01701234567&pageSize=2');
    const second = await owner.list<Call>(first.next ?? '');
    expect([...first.results, ...second.results].map(({ callId }) => callId)).toEqual(calls);
    expect([first.total, second.total, second.next]).toEqual([3, 3, null]);
  });

  it('finds numbers and words of the metadata as they are written', async () => {
    const owner = await openAccount();
    const { callId } = await owner.createCall({ metadata: { phone: '0170 1234567', plan: 'gold' } });
    expect(await found(owner, '0170 1234567')).toEqual([callId]);
    expect(await found(owner, 'gold 0170')).toEqual([callId]);
    expect(await found(owner, '007')).toEqual([]);
  });

  it('finds no calls with zero data retention', async () => {
    const owner = await openAccount();
    const call = await dial(owner, 'tel:+491701234567', { retentionPolicy: 'zdr' });
    await harness.query(
      `update calls set request_context = '{"sip": {"from": {"uri": "sip:+491701234567@a.test"}}}' where call_id = $1`,
      call.callId,
    );
    expect(await found(owner, '0170 1234567')).toEqual([]);
    expect(await found(owner, 'desk')).toEqual([]);
    expect(await found(owner, call.callId)).toEqual([call.callId]);
  });

  it('finds no deleted calls, whose numbers are no longer stored', async () => {
    const owner = await openAccount();
    const call = await dial(owner, 'tel:+491701234567');
    await end(call);
    expect(await found(owner, '0170 1234567')).toEqual([call.callId]);
    expect((await owner.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    for (const list of ['calls', 'deleted_calls'])
      expect(await found(owner, '0170 1234567', list)).toEqual([]);
    const { rows } = await harness.query('select said from call_facts where call_id = $1', call.callId);
    expect(rows).toEqual([{ said: '' }]);
  });
});

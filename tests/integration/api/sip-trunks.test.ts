import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const TRUNKS = '/api/sip/trunks';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip']);
afterAll(() => harness.stop());

async function trunk(body: Record<string, unknown> = {}, owner = account): Promise<string> {
  const created = await owner.post<SipTrunk>(TRUNKS, { name: 'Line', ...body });
  expect(created.status).toBe(201);
  return created.body.trunkId;
}

const issuePaths = async (body: unknown, method = 'POST', path = TRUNKS): Promise<string[]> => {
  const refused = await account.send(method, path, body);
  expect(refused.status).toBe(400);
  return refused.body.errors!.map((issue) => issue.path);
};

const place = (outgoing: unknown) => account.post<Call>('/api/calls', { medium: { sip: { outgoing } } });

const placeIssues = async (outgoing: unknown): Promise<string[]> => {
  const refused = await account.post('/api/calls', { medium: { sip: { outgoing } } });
  expect(refused.status).toBe(400);
  return refused.body.errors!.map((issue) => issue.path);
};

describe('SIP trunks', () => {
  it('are created, read, changed, listed and deleted, without showing passwords', async () => {
    const owner = await harness.account('SCALE', null, ['sip']);
    const body = {
      name: 'Office line',
      proxy: 'trunk.example.com:5080',
      username: 'reception',
      password: 'a hidden password',
      numbers: ['+4930123456'],
      allowedCidrRanges: ['203.0.113.0/24', '2001:db8::/32'],
      incomingUsername: 'peer',
      incomingPassword: 'another hidden one',
      codecs: ['PCMA', 'opus'],
      maxCalls: 2,
    };
    const created = await owner.post<SipTrunk>(TRUNKS, body);
    const { password: _, incomingPassword: __, ...shown } = body;
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...shown,
        trunkId: expect.any(String),
        created: expect.any(String),
        enabled: true,
        outboundProxy: null,
        from: null,
      },
    ]);
    const path = `${TRUNKS}/${created.body.trunkId}`;
    expect((await owner.request(path)).body).toEqual(created.body);
    const changed = await owner.send<SipTrunk>('PATCH', path, {
      enabled: false,
      maxCalls: null,
      username: 'x',
    });
    expect(changed.body).toEqual({ ...created.body, enabled: false, maxCalls: null, username: 'x' });
    const { results, total } = await owner.list<SipTrunk>(TRUNKS);
    expect([total, results]).toEqual([1, [changed.body]]);
    const { rows } = await harness.query('select sip_trunks::text as row from sip_trunks');
    expect(rows.some((row) => String(row['row']).includes('hidden'))).toBe(false);
    expect((await account.request(path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(404);
    expect((await owner.send('DELETE', path)).status).toBe(204);
    expect((await owner.request(path)).status).toBe(404);
  });

  it('reject user names without passwords and invalid addresses, ranges and codecs', async () => {
    expect(await issuePaths({ name: 'a', username: 'u' })).toEqual(['password']);
    expect(await issuePaths({ name: 'a', incomingPassword: 'p' })).toEqual(['incomingUsername']);
    expect(await issuePaths({ name: 'a', proxy: 'sip:user@host' })).toEqual(['proxy']);
    expect(await issuePaths({ name: 'a', outboundProxy: 'host;transport=tls' })).toEqual(['outboundProxy']);
    expect(await issuePaths({ name: 'a', from: 'a b' })).toEqual(['from']);
    const allowedCidrRanges = ['2001:db8::/32', '2001:db8::/129', 'fe80:::/10', '1:2/64'];
    expect(await issuePaths({ name: 'a', allowedCidrRanges })).toEqual(['allowedCidrRanges.1']);
    expect(await issuePaths({ name: 'a', allowedCidrRanges: allowedCidrRanges.slice(2) })).toEqual([
      'allowedCidrRanges.0',
      'allowedCidrRanges.1',
    ]);
    expect(await issuePaths({ name: 'a', codecs: ['PCMA', 'GSM'] })).toEqual(['codecs.1']);
    expect(await issuePaths({ name: 'a', codecs: ['PCMA', 'PCMA'] })).toEqual(['codecs']);
    const path = `${TRUNKS}/${await trunk({ username: 'u', password: 'p' })}`;
    expect(await issuePaths({ username: null, password: 'q' }, 'PATCH', path)).toEqual(['username']);
    expect(await issuePaths({ password: null }, 'PATCH', path)).toEqual(['password']);
    const cleared = await account.send('PATCH', path, { username: null });
    expect([cleared.status, cleared.body]).toMatchObject([200, { username: null }]);
  });

  it('require the account feature', async () => {
    const other = await harness.account();
    expect((await other.request(TRUNKS)).status).toBe(403);
    expect((await other.post(TRUNKS, { name: 'a' })).status).toBe(403);
  });
});

describe('a call through a SIP trunk', () => {
  it('dials a number through the proxy and stores the credentials encrypted', async () => {
    const outgoingCredentials = { username: 'u', password: 'the secret of the trunk' };
    const trunkId = await trunk({ proxy: 'trunk.test', numbers: ['+4930'], ...outgoingCredentials });
    const call = await place({ to: 'tel:+49-(40)-1', trunkId });
    expect([call.status, call.body.medium]).toEqual([
      201,
      { sip: { outgoing: { to: 'tel:+49-(40)-1', trunkId } } },
    ]);
    const { rows } = await harness.query(
      'select settings::text as row from calls where call_id = $1',
      call.body.callId,
    );
    expect(String(rows[0]?.['row'])).not.toContain('secret');
  });

  it('is rejected without an enabled trunk, a host or a caller', async () => {
    expect(await placeIssues({ to: 'sip:a@b.test' })).toEqual(['medium.sip.outgoing.from']);
    const trunkId = await trunk({ allowedCidrRanges: [] });
    const path = 'medium.sip.outgoing';
    expect(await placeIssues({ to: '+4940', trunkId })).toEqual([`${path}.to`, `${path}.from`]);
    const disabled = await trunk({ proxy: 'trunk.test', enabled: false });
    expect(await placeIssues({ to: '+4940', from: '1', trunkId: disabled })).toEqual([`${path}.trunkId`]);
    const withTls = await trunk({ proxy: 'trunk.test', from: '1' });
    // Stores what the service stored while it had TLS.
    await harness.query(
      "update sip_trunks set proxy = 'trunk.test;transport=tls' where trunk_id = $1",
      withTls,
    );
    expect(await placeIssues({ to: '+4940', trunkId: withTls })).toEqual([`${path}.trunkId`]);
    expect(await placeIssues({ to: 'sips:a@trunk.test', trunkId: withTls })).toEqual([`${path}.to`]);
    const other = await harness.account('SCALE', null, ['sip']);
    const foreign = await trunk({ proxy: 'trunk.test' }, other);
    expect(await placeIssues({ to: '+4940', from: '1', trunkId: foreign })).toEqual([`${path}.trunkId`]);
  });

  it('is rejected with 429 while the trunk has its maximum of live calls', async () => {
    const trunkId = await trunk({ proxy: 'trunk.test', from: 'ada', maxCalls: 2 });
    const calls = await Promise.all(Array.from({ length: 4 }, () => place({ to: '+4940', trunkId })));
    expect(calls.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
    const refused = calls.find(({ status }) => status === 429);
    expect([refused?.headers.get('retry-after'), refused?.body]).toMatchObject([
      '5',
      { code: 'trunk_concurrency' },
    ]);
    const live = calls.find(({ status }) => status === 201)?.body.callId;
    await harness.query(
      "update calls set ended_at = now(), end_reason = 'unjoined' where call_id = $1",
      live,
    );
    expect((await place({ to: '+4940', trunkId })).status).toBe(201);
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipRegistration } from '@calls/api-contract/rest/sip';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { SipRegistrar } from '../support/sip/sip-registrar.ts';

const REGISTRATIONS = '/api/sip/registrations';
const PASSWORD = 'open sesame';

const workers: MediaWorkerProcess[] = [];

const [harness, registrar, peer] = await Promise.all([
  ControlPlaneHarness.start(),
  SipRegistrar.start({ authUser: 'auth-100', password: PASSWORD, maxExpiresS: 12 }),
  SipPeer.open(),
]);
const account = await harness.account('SCALE', null, ['sip']);
workers.push(await startWorker());
afterAll(async () => {
  for (const worker of workers) await worker[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  await registrar[Symbol.asyncDispose]();
  await harness.stop();
});

function startWorker(): Promise<MediaWorkerProcess> {
  return MediaWorkerProcess.start(harness.nats.url, {
    JOIN_TOKEN_SECRET: JOIN_TOKEN_SECRETS[0] ?? '',
    DATA_DIR: harness.objectDirectory,
    DRAIN_LIMIT_MS: '300',
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
  });
}

async function register(username: string, password = PASSWORD): Promise<string> {
  const body = { username, password, authUser: 'auth-100', proxy: registrar.address };
  const created = await account.post<SipRegistration>(REGISTRATIONS, body);
  expect([created.status, created.body]).toMatchObject([201, { successful: null }]);
  return `${REGISTRATIONS}/${created.body.registrationId}`;
}

const until = (path: string, expected: Partial<Record<keyof SipRegistration, unknown>>) =>
  eventually(async () => {
    const registration = await account.get<SipRegistration>(path);
    expect(registration).toMatchObject(expected);
    return registration;
  });

const contactsOf = (user: string, ports: readonly (number | undefined)[]): Promise<void> =>
  eventually(async () => {
    const contacts = await registrar.bindings(user);
    expect(contacts).toEqual(
      ports.map((port) =>
        expect.stringMatching(new RegExp(`^sip:[\\w-]{16,}@127\\.0\\.0\\.1:${port}$`, 'u')),
      ),
    );
  });

describe('a SIP registration at a third-party registrar', () => {
  it('succeeds, is refreshed before it expires, and is unregistered when deleted', async () => {
    const path = await register('200');
    const first = await until(path, { successful: true, lastError: null, expiresAt: expect.any(String) });
    await contactsOf('200', [workers[0]?.sipPort]);
    await eventually(async () => {
      const { expiresAt } = await account.get<SipRegistration>(path);
      expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.parse(first.expiresAt ?? '') + 5000);
    });
    expect((await account.send('DELETE', path)).status).toBe(204);
    await contactsOf('200', []);
  });

  it('reports a wrong password, and succeeds when it is corrected', async () => {
    const path = await register('300', 'wrong');
    await until(path, { successful: false, lastError: '401 Unauthorized', expiresAt: null });
    const changed = await account.send('PATCH', path, { password: PASSWORD });
    expect(changed.body).toMatchObject({ successful: null });
    await until(path, { successful: true, lastError: null });
    expect((await account.send('PATCH', path, { username: '301' })).status).toBe(200);
    await contactsOf('301', [workers[0]?.sipPort]);
    await contactsOf('300', []);
    await account.send('DELETE', path);
  });

  it('receives calls from its registrar, also to a number, and moves to another worker when its worker dies or stops', async () => {
    const template = { systemPrompt: 'You are Ada.', firstSpeakerSettings: { agent: { text: 'Hello.' } } };
    const agent = await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate: template });
    const { agentId } = agent.body;
    const allowedAgents = [{ agentId, toUserPattern: '^100$' }];
    expect((await account.send('PATCH', '/api/sip', { allowedAgents })).status).toBe(200);
    const calls = async (): Promise<number> =>
      (await account.get<{ results: Call[] }>(`/api/agents/${agentId}/calls`)).results.length;
    const callIn = async (uri = `sip:100@${registrar.address}`): Promise<void> => {
      const call = await peer.call(uri);
      if (!('dialog' in call)) throw new Error(`refused: ${call.status} ${call.reason}`);
      await call.audioReceived;
      await call.dialog.bye();
    };

    const path = await register('100');
    await until(path, { successful: true });
    await callIn();
    expect(await calls()).toBe(1);
    await contactsOf('100', [workers[0]?.sipPort]);
    const [contact = ''] = await registrar.bindings('100');
    await callIn(contact.replace(/:[\w-]+@/u, ':100@'));
    expect(await calls()).toBe(2);
    const unknownNumber = await peer.call(contact.replace(/:[\w-]+@/u, ':101@'));
    expect(unknownNumber).toMatchObject({ kind: 'failed', status: 404 });

    const [first] = workers;
    const second = await startWorker();
    workers.push(second);
    first?.signal('SIGKILL');
    await contactsOf('100', [second.sipPort]);
    await callIn();
    expect(await calls()).toBe(3);

    const third = await startWorker();
    workers.push(third);
    second.signal('SIGTERM');
    await second.ended();
    await contactsOf('100', [third.sipPort]);
    await callIn();
    expect(await calls()).toBe(4);

    third.signal('SIGTERM');
    await third.ended();
    expect(await registrar.bindings('100')).toEqual([]);
  });
});

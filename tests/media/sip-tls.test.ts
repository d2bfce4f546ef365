import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import type { CallSpec, SipSpec } from '@calls/api-contract/call-spec';
import { readEnvironment } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { CertificateAuthority } from '@calls/testkit/certificates';
import { readMediaWorkerConfig } from '../../services/media-worker/src/config.ts';
import { createMediaWorker } from '../../services/media-worker/src/create-media-worker.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { Kamailio } from '../support/sip/kamailio.ts';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { describeWithPhone, SoftPhone } from '../support/sip/soft-phone.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const HOST = '127.0.0.1';

const calls: CallSpec[] = [];
const open: AsyncDisposable[] = [];

const authority = await CertificateAuthority.create();
const tlsPort = await findFreePorts(1);
const certificate = await authority.issue(`DNS:localhost,IP:${HOST}`);
const [pool, peer] = await Promise.all([
  WorkerPool.open({
    SIP_TLS: 'true',
    SIP_TLS_PORT: String(tlsPort),
    SIP_TLS_CERTIFICATE_FILE: certificate.certificateFile,
    SIP_TLS_KEY_FILE: certificate.keyFile,
    SIP_TLS_CA_FILE: authority.caFile,
  }),
  SipPeer.open(),
]);
const proxy = await Kamailio.open({
  certificate: await authority.issue('DNS:localhost'),
  caFile: authority.caFile,
  fromTls: `sip:${HOST}:${peer.port}`,
  fromOthers: `sip:${HOST}:${tlsPort};transport=tls`,
});
await pool.atLeast(1);
open.push(
  pool.bus.requests.respond(SIP_INVITE_REQUEST, ({ callId, to, from }) => {
    const medium = { direction: 'incoming', to: to.uri, from: from.uri } as const;
    const call = spec({ ...medium, username: null, password: null }, { callId });
    calls.push(call);
    return Promise.resolve({
      kind: 'call',
      created: pool.created(call),
    });
  }),
);
await pool.bus.connection.ping();
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const part of opened.splice(0)) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  for (const part of [...open, proxy, peer, pool, authority]) await part[Symbol.asyncDispose]();
});

function spec(medium: Partial<SipSpec>, overrides: Partial<CallSpec> = {}): CallSpec {
  return callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: agentSpeaksFirst('Hello, who is there?'),
    medium: sipSpec({ username: 'trunk', password: 'open sesame', ...medium }),
    ...overrides,
  });
}

describe('SIP over TLS through a proxy that requires certificates', () => {
  it.each(['phone', 'agent'])('places a call that the %s ends', async (ends) => {
    const call = spec({ to: `sip:ann@localhost:${proxy.tlsPort};transport=tls` });
    await pool.queue(call);
    const { dialog, audioReceived } = await peer.take(await peer.invited());
    await audioReceived;
    await (ends === 'phone' ? dialog.bye() : pool.end(call));
    expect(await dialog.ended).toEqual({ by: ends === 'phone' ? 'local' : 'remote' });
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({
      endReason: ends === 'phone' ? 'hangup' : 'agent_hangup',
    });
  });

  it.each(['phone', 'agent'])('accepts a call that the %s ends', async (ends) => {
    const call = await peer.call(`sip:agent_1@${HOST}:${proxy.udpPort}`);
    if (!('dialog' in call)) throw new Error(`refused: ${call.status} ${call.reason}`);
    await call.audioReceived;
    const created = calls.at(-1);
    if (!created) throw new Error('no call');
    await (ends === 'phone' ? call.dialog.bye() : pool.end(created));
    expect(await call.dialog.ended).toEqual({ by: ends === 'phone' ? 'local' : 'remote' });
    expect((await pool.endedLogOf(created)).at(-1)).toMatchObject({
      endReason: ends === 'phone' ? 'hangup' : 'agent_hangup',
    });
  });

  it('does not call a server that has a certificate for another host', async () => {
    const call = spec({ to: `sips:ann@${HOST}:${proxy.tlsPort}` });
    await pool.queue(call);
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({
      endReason: 'unjoined',
      sip: { terminationReason: 'SIP_TERMINATION_DESTINATION_UNAVAILABLE' },
    });
  });
});

describe('a media-worker with an unusable certificate file', () => {
  it('does not start, and names the variable and the file', async () => {
    const file = join(authority.folder, 'garbage.pem');
    await writeFile(file, 'not PEM');
    const { certificateFile, keyFile } = await authority.issue('DNS:localhost');
    const servers = await ScratchServers.open();
    opened.push({ [Symbol.asyncDispose]: () => servers.close() });
    const { url } = await servers.nats();
    const env = {
      ...{ NATS_URL: url, JOIN_TOKEN_SECRET: WorkerPool.secret, DATA_DIR: authority.folder },
      ...{ MEDIA_PORT: '0', METRICS_PORT: '0', RTC_PORT: '0', RTC_WORKERS: '1', RTC_LISTEN_ADDRESS: HOST },
      ...{ SIP_PORT: '0', SIP_LISTEN_ADDRESS: HOST, SIP_TLS: 'true', SIP_TLS_PORT: '0' },
      ...{ SIP_TLS_CERTIFICATE_FILE: certificateFile, SIP_TLS_KEY_FILE: keyFile, SIP_TLS_CA_FILE: '' },
    };
    for (const variable of ['SIP_TLS_CERTIFICATE_FILE', 'SIP_TLS_KEY_FILE', 'SIP_TLS_CA_FILE']) {
      const config = readEnvironment({ ...env, [variable]: file }, readMediaWorkerConfig);
      await expect(createMediaWorker(config, silentLogger)).rejects.toThrow(`${variable}: ${file} is not `);
    }
  });
});

describeWithPhone('SIP over TLS with baresip', () => {
  it.each(['phone', 'agent'])('accepts a call that the %s ends', async (ends) => {
    const phone = await SoftPhone.open({
      user: 'ann',
      proxy: `${HOST}:${tlsPort};transport=tls`,
      caFile: authority.caFile,
    });
    opened.push(phone);
    await phone.dial(`sip:agent_2@${HOST}`);
    await phone.until('CALL_ESTABLISHED');
    await phone.until('CALL_RTPESTAB');
    const created = calls.at(-1);
    if (!created) throw new Error('no call');
    if (ends === 'phone') await phone.hangUp();
    else await pool.end(created);
    await phone.until('CALL_CLOSED');
    expect((await pool.endedLogOf(created)).at(-1)).toMatchObject({
      endReason: ends === 'phone' ? 'hangup' : 'agent_hangup',
    });
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generatePython } from '@calls/api-client/python';
import { operations } from '@calls/api-contract/operations';
import { findFreePorts } from '@calls/local-stack/free-port';
import { signRequest } from '@calls/outbound-http/request-signature';
import { afterAll, expect, it } from '@jest/globals';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const PROGRAM = join(import.meta.dirname, '../../support/python/use-client.py');

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

const SECRETS = ['another', 'a secret of the customer'];

/** Signature headers for the webhook body in the Python program. */
function signedHeaders(wallMs: number): Record<string, string> {
  const { timestamp, signature } = signRequest('{"event":"call.ended"}', SECRETS, wallMs);
  return { 'X-Svc-Webhook-Timestamp': timestamp, 'X-Svc-Webhook-Signature': signature };
}

function headersOfToolRequest(): Record<string, string> {
  const { timestamp, signature } = signRequest('a-call', SECRETS, Date.now());
  return { 'X-Svc-Call-ID': 'a-call', 'X-Svc-Signature-Timestamp': timestamp, 'X-Svc-Signature': signature };
}

it('the generated Python client creates, lists and changes resources, reports errors and verifies signatures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'calls-python-'));
  try {
    await writeFile(join(folder, 'calls_api.py'), await generatePython());
    const account = await harness.account();
    const joined = await account.createCall();
    const joins = { type: 'joined', clientVersion: null, workerId: 'gone' } as const;
    await harness.bus.callLogs.append(harness.eventsOf(joined, account.accountId)(1, joins));
    await eventually(async () => expect((await account.call(joined.callId)).joined).not.toBeNull());
    const signed = JSON.stringify({
      current: signedHeaders(Date.now()),
      old: signedHeaders(Date.now() - 61_000),
      ofCall: headersOfToolRequest(),
    });
    const env = {
      PATH: process.env['PATH'],
      PYTHONPATH: folder,
      API_URL: harness.url,
      API_KEY: account.key,
      JOINED_CALL: joined.callId,
      CLOSED_URL: `http://127.0.0.1:${await findFreePorts(1)}`,
      SIGNED: signed,
    };
    const { stdout } = await promisify(execFile)('python3', ['-W', 'error', PROGRAM], { env });
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    const { created } = seen;
    expect(seen).toEqual({
      agent: 'Ada',
      joinUrl: expect.stringMatching(/^ws:\/\/media\.test:1\//u),
      created: expect.any(Array),
      paged: created,
      filtered: [{ room: '3' }],
      page: 2,
      empty: [],
      schema: 'Calls',
      repeated: 1,
      renamed: ['Ada & Bo / 100 %'],
      deleted: null,
      invalid: {
        status: 400,
        code: expect.any(String),
        errors: [
          { path: 'medium.serverWebSocket.inputSampleRate', message: expect.stringContaining('8000') },
        ],
        text: expect.stringContaining('medium.serverWebSocket.inputSampleRate'),
        waits: false,
      },
      // The call cannot be ended without its media-worker.
      live: expect.objectContaining({ status: 409, code: 'call_live', waits: true }),
      unknown: expect.objectContaining({ status: 404 }),
      unauthorized: expect.objectContaining({ status: 401, errors: [] }),
      unreachable: expect.objectContaining({ status: 0, code: 'connection_failed' }),
      redirected: expect.objectContaining({
        status: 301,
        code: 'redirected',
        text: expect.stringContaining(
          'redirects to https://calls.test/api/calls: use its address as base_url',
        ),
      }),
      sipLogs: '<html>',
      html: expect.objectContaining({ status: 0, code: 'unexpected_response' }),
      broken: expect.objectContaining({ status: 0, code: 'connection_failed' }),
      signatures: {
        documented: true,
        current: true,
        old: false,
        otherBody: false,
        otherSecret: false,
        unsigned: false,
      },
      callSignatures: {
        documented: true,
        current: true,
        old: false,
        otherCall: false,
        otherSecret: false,
        unsigned: false,
      },
      types: expect.any(Number),
      messages: [14, 9],
      // The client has no method for the event stream.
      methods: operations.length - 1,
    });
    expect(created).toHaveLength(5);
  } finally {
    await rm(folder, { recursive: true });
  }
});

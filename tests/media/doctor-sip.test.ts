import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { concatSamples } from '@calls/audio/pcm';
import { findFreePorts } from '@calls/local-stack/free-port';
import { describeWithPhone, PHONE_RATE_HZ, SoftPhone } from '../support/sip/soft-phone.ts';

const MAIN = fileURLToPath(new URL('../../packages/doctor/src/main.ts', import.meta.url));
const LOCAL = ['--address', '127.0.0.1'];

const folder = await mkdtemp(join(tmpdir(), 'doctor-sip-'));
afterAll(() => rm(folder, { recursive: true }));

/** Runs the doctor as an operator does. */
async function doctor(trunk: object | string, ...args: string[]): Promise<{ code: number; text: string }> {
  const file = join(folder, 'trunk.json');
  await writeFile(file, typeof trunk === 'string' ? trunk : JSON.stringify(trunk));
  const first = await findFreePorts(20);
  const ports = ['--rtp-ports', `${first}-${first + 19}`];
  const child = spawn(process.execPath, [MAIN, 'sip', file, ...ports, ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}

/** `host:port` of a phone, used as the proxy of a trunk. */
const serverOf = ({ uri }: SoftPhone): string => uri.split('@')[1] ?? '';

describe('npm run doctor -- sip', () => {
  it.each([
    [{ name: 'a' }, [], '--to is required'],
    [{ name: 'a' }, ['--to', '1', '--port', 'x'], '--port must be a port, not "x"'],
    [{ name: 'a' }, ['--to', '1', '--rtp-ports', '9-1'], '--rtp-ports must be a range of ports'],
    [{}, ['--to', '1'], 'name: is required'],
    [{ name: 'a', port: 5060 }, ['--to', '1'], 'port'],
    ['{', ['--to', '1'], 'JSON'],
  ])(
    'reports the error in trunk %j with arguments %j, and prints its usage',
    async (trunk, args, problem) => {
      const { code, text } = await doctor(trunk, ...args);
      expect(text).toContain(problem);
      expect(text).toContain('usage: npm run doctor -- sip');
      expect(code).toBe(2);
    },
  );

  it('reports a trunk without a proxy, and a server that does not respond', async () => {
    const closed = await findFreePorts(1);
    const [noProxy, unreachable] = [
      await doctor({ name: 'a' }, '--to', '+4930100', ...LOCAL),
      await doctor({ name: 'a', proxy: `127.0.0.1:${closed};transport=tcp` }, '--to', '+4930100', ...LOCAL),
    ];
    expect(noProxy.text).toMatch(/\[ ERROR \] trunk: the trunk has no proxy/u);
    expect(unreachable.text).toMatch(/\[ ERROR \] call: .*\n.*check proxy/u);
    expect([noProxy.code, unreachable.code]).toEqual([1, 1]);
  });
});

describeWithPhone('npm run doctor -- sip with baresip', () => {
  it('places a call, measures its audio and prints the messages', async () => {
    await using phone = await SoftPhone.open({ user: '+4930100', answersAtOnce: true });
    const tone = Int16Array.from({ length: PHONE_RATE_HZ }, (_, i) => 8000 * Math.sin(i / 3));
    await phone.speak(concatSamples(Array.from({ length: 20 }, () => tone)));
    const trunk = { name: 'a phone', proxy: serverOf(phone), numbers: ['+4930200'] };
    const { code, text } = await doctor(trunk, '--to', '+4930100', '--messages', ...LOCAL);
    expect(text).toMatch(/\[ {2}ok {3}\] call: sip:\+4930100@127\.0\.0\.1:\d+ answered/u);
    expect(text).toMatch(/\[ {2}ok {3}\] audio: \d{4} of 6000 ms of audio received, at -1\d dBFS/u);
    expect(text).toMatch(/^INVITE sip:\+4930100@/mu);
    expect(text).toMatch(/^From: .*\+4930200@/mu);
    expect(text).toMatch(/^BYE /mu);
    expect(text).toContain('No problems: calls can be placed through this trunk.');
    expect(code).toBe(0);
  });

  it('explains a rejection', async () => {
    await using phone = await SoftPhone.open({ user: '+4930100' });
    const { code, text } = await doctor(
      { name: 'a phone', proxy: serverOf(phone) },
      ...['--to', '+4930999', ...LOCAL],
    );
    expect(text).toMatch(/\[ ERROR \] call: 404 .*\n.*is the number in the form/u);
    expect(code).toBe(1);
  });
});

import { WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { samplesFromBytes } from '@calls/audio/pcm';
import { encodeWav } from '@calls/audio/wav';
import { findFreePorts } from '@calls/local-stack/free-port';
import { eventually } from '../eventually.ts';

const HOST = '127.0.0.1';
const RTP_PORTS = 20;

/** The SIP phone Linphone with audio files as microphone and loudspeaker. It can only place calls. */
export class Linphone implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = '';

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    child.stdout?.on('data', (text) => (this.#output += String(text)));
  }

  static async open(): Promise<Linphone> {
    const folder = await mkdtemp(join(tmpdir(), 'calls-linphone-'));
    const port = await findFreePorts(1);
    const rtp = await findFreePorts(RTP_PORTS);
    const config = [
      ...['[sip]', 'guess_hostname=0', `contact=sip:bea@${HOST}`],
      ...['[rtp]', `audio_rtp_port=${rtp}-${rtp + RTP_PORTS - 1}`],
      ...['[sound]', 'echocancellation=0', '[misc]', 'enable_log_collection=0', ''],
    ];
    await writeFile(join(folder, 'config'), config.join('\n'));
    const child = spawn('stdbuf', ['-o0', 'linphonec', '-c', join(folder, 'config')], {
      env: { ...process.env, HOME: folder },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const phone = new Linphone(child, folder);
    try {
      await phone.until('linphonec>');
      // This version never starts its core, so it ignores a configured port and rejects calls with 503.
      phone.#command(`ports sip ${port}`);
      await phone.until(`Setting sip port to ${port}`);
      phone.#command('ipv6 disable');
      phone.#command('soundcard use files');
      await phone.until('Using wav files');
      return phone;
    } catch (thrown) {
      await phone[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** Waits until the phone has printed this text. */
  async until(text: string): Promise<void> {
    await eventually(() => {
      if (!this.#output.includes(text))
        throw new Error(`no "${text}" yet, only: ${this.#output.slice(-2000)}`);
    });
  }

  dial(uri: string): Promise<void> {
    this.#command(`call ${uri}`);
    return Promise.resolve();
  }

  hangUp(): void {
    this.#command('terminate');
  }

  hold(): void {
    this.#command('pause');
  }

  resume(): void {
    this.#command('resume');
  }

  press(digit: string): void {
    this.#command(digit);
  }

  /** Plays these samples in the current call, and records what the phone receives. */
  async speakAndRecord(samples: Int16Array, rateHz: number): Promise<void> {
    const file = join(this.#folder, 'spoken.wav');
    await writeFile(file, encodeWav(samples, rateHz));
    this.#command(`play ${file}`);
    this.#command(`record ${join(this.#folder, 'played.wav')}`);
  }

  /** Recorded audio so far, at the rate of the codec. The file gets its header when the call has ended. */
  async played(): Promise<Int16Array> {
    const bytes = await readFile(join(this.#folder, 'played.wav'));
    return samplesFromBytes(bytes.subarray(WAV_HEADER_BYTES, bytes.length - (bytes.length % 2)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    await rm(this.#folder, { recursive: true, force: true });
  }

  #command(command: string): void {
    this.#child.stdin?.write(`${command}\n`);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeMuLaw } from '@calls/audio/g711';
import { silence } from '@calls/testkit/speech/shaping';
import { concatSamples } from '@calls/audio/pcm';
import { speak } from '@calls/testkit/speech/speak';
import { sippReceive, sippSend } from '../../support/sip/sipp.ts';

const HOST = '127.0.0.1';
const RATE_HZ = 8000;
const FIRST_RTP_PORT = 30_000;
/** Exit code of sipp if a call failed. */
const SOME_FAILED = 1;
const REFUSED = 'refused with 503';

export interface SipCallersOptions {
  folder: string;
  /** Called address: user and domain. */
  to: string;
  sipPort: number;
  rate: number;
  /** Maximum number of live calls. */
  limit: number;
  /** Total number of calls. */
  count: number;
  holdMs: number;
}

export interface SipCallersResult {
  /** Time from the first INVITE to the 200 response, for each answered call. */
  answerMs: number[];
  /** Number of calls rejected with 503. */
  refused: number;
  /** Number of calls that were neither answered nor rejected. */
  failed: number;
}

/** Places calls with sipp at a steady rate. Each caller speaks until it hangs up. */
export async function placeCalls(options: SipCallersOptions): Promise<SipCallersResult> {
  const { folder, sipPort, rate, limit, count } = options;
  const speech = join(folder, 'speech.ulaw');
  await writeFile(speech, encodeMuLaw(await callerSpeech()));
  const scenario = join(folder, 'scenario.xml');
  await writeFile(scenario, scenarioOf(options, speech));
  const args = [
    ...[
      '-sf',
      scenario,
      '-i',
      HOST,
      '-nostdin',
      '-trace_rtt',
      '-rtt_freq',
      '1',
      '-trace_logs',
      '-trace_stat',
    ],
    ...['-r', String(rate), '-l', String(limit), '-m', String(count), '-recv_timeout', '20000'],
    ...['-mp', String(FIRST_RTP_PORT)],
    `${HOST}:${sipPort}`,
  ];
  const child = spawn('sipp', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const log: string[] = [];
  child.stderr.on('data', (text) => log.push(String(text)));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 && code !== SOME_FAILED)
    throw new Error(`sipp ended with ${code}: ${log.join('').slice(-1000)}`);
  const [times, logs, statistics] = await Promise.all([
    linesOf(folder, '_rtt.csv'),
    linesOf(folder, '_logs.log'),
    linesOf(folder, '_.csv'),
  ]);
  const answerMs = times.slice(1).map((line) => Number(line.split(';')[1]));
  const refused = logs.filter((line) => line.includes(REFUSED)).length;
  const names = statistics[0]?.split(';') ?? [];
  const successful = Number(statistics.at(-1)?.split(';')[names.indexOf('SuccessfulCall(C)')]);
  return { answerMs, refused, failed: count - successful };
}

async function linesOf(folder: string, end: string): Promise<string[]> {
  const name = (await readdir(folder)).find((each) => each.endsWith(end));
  return name === undefined ? [] : (await readFile(join(folder, name), 'utf8')).split('\n').filter(Boolean);
}

/** Audio with a question every 6 s. */
async function callerSpeech(): Promise<Int16Array> {
  const text = 'I would like to book a table for two.';
  const spoken = await speak({ engine: 'flite', voice: 'slt', text, sampleRateHz: RATE_HZ });
  return concatSamples([silence(2000, RATE_HZ), spoken, silence(2000, RATE_HZ)]);
}

function scenarioOf({ to, holdMs }: SipCallersOptions, speech: string): string {
  const request = (method: string, cseq: number, toTag: string): readonly string[] => [
    `${method} sip:${to} SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From: <sip:caller@[local_ip]:[local_port]>;tag=[call_number]',
    `To: <sip:${to}>${toTag}`,
    ...['Call-ID: [call_id]', `CSeq: ${cseq} ${method}`, 'Max-Forwards: 70'],
    'Contact: <sip:caller@[local_ip]:[local_port]>',
  ];
  const sdp = [
    ...['v=0', 'o=- 1 1 IN IP4 [local_ip]', 's=-', 'c=IN IP4 [local_ip]', 't=0 0'],
    ...['m=audio [rtpstream_audio_port] RTP/AVP 0', 'a=rtpmap:0 PCMU/8000'],
  ];
  const empty = ['Content-Length: 0', ''];
  const invite = [
    ...request('INVITE', 1, ''),
    ...['Content-Type: application/sdp', 'Content-Length: [len]', '', ...sdp],
  ];
  const steps = [
    sippSend(invite, true).replace('<send', '<send start_rtd="1"'),
    sippReceive('response="100" optional="true"'),
    sippReceive('response="180" optional="true"'),
    sippReceive('response="503" optional="true" next="1"'),
    sippReceive('response="200" rtd="1"'),
    sippSend([...request('ACK', 1, '[peer_tag_param]'), ...empty]),
    `<nop><action><exec rtp_stream="${speech},-1,0" /></action></nop>`,
    `<pause milliseconds="${holdMs}" />`,
    sippSend([...request('BYE', 2, '[peer_tag_param]'), ...empty], true),
    sippReceive('response="200" next="2"'),
    '<label id="1" />',
    sippSend([...request('ACK', 1, '[peer_tag_param]'), ...empty]),
    `<nop><action><log message="${REFUSED}" /></action></nop>`,
    '<label id="2" />',
    '<nop />',
  ];
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="load">\n${steps.join('\n')}\n</scenario>\n`;
}

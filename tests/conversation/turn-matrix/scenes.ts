import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { concatSamples } from '@calls/audio/pcm';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { atLevel, cough, resample, silence, withNoise } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';

export const RATE_HZ = 16_000;
const SPEECH_LEVEL_DBFS = -24;

/** The greeting when the agent speaks first, about ten seconds long. */
export const AGENT_OPENING =
  'Thank you for calling the flower shop in the old town. We are open every day of the week from nine in the morning ' +
  'until six in the evening, and on Sundays we close at noon. How may I help you today?';
export const AGENT_ANSWER = 'All right.';

export interface Scene {
  name: string;
  /** Description of the audio that the service receives. */
  input: string;
  /** Who speaks first. */
  agentSpeaks: boolean;
  /** Echo of the agent in the microphone. The client's echo canceller removes it completely from `untilMs` of the call on. */
  echo?: { delayMs: number; gain: number; untilMs: number };
  /** The agent's first responses, in order; AGENT_ANSWER follows. */
  answers?: readonly string[];
  /** What the user says `afterMs` after the agent began to speak, one entry per response. */
  follows?: readonly { afterMs: number; sound: () => Promise<Int16Array> }[];
  /** The latency of speech-to-text. */
  sttMs?: number;
  expected: string;
  /** The microphone audio, at RATE_HZ. */
  sound: () => Promise<Int16Array>;
}

type Voice = 'slt' | 'rms' | 'awb';

async function says(voice: Voice, text: string): Promise<Int16Array> {
  const spoken = await speak({ engine: 'flite', voice, text, sampleRateHz: RATE_HZ });
  return atLevel(trimmed(spoken), SPEECH_LEVEL_DBFS);
}

/** Removes the silence that the synthesizer adds at both ends. */
function trimmed(samples: Int16Array): Int16Array {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 300;
  return samples.slice(Math.max(0, samples.findIndex(isLoud)), samples.findLastIndex(isLoud) + 1);
}

type Part = Promise<Int16Array> | number;

/** Concatenates sounds and pauses (in milliseconds). */
async function inTurn(...parts: readonly Part[]): Promise<Int16Array> {
  const pieces = parts.map((part) =>
    typeof part === 'number' ? Promise.resolve(silence(part, RATE_HZ)) : part,
  );
  return concatSamples(await Promise.all(pieces));
}

async function byPhone(sound: Promise<Int16Array>): Promise<Int16Array> {
  return resample(decodeMuLaw(encodeMuLaw(resample(await sound, RATE_HZ, 8000))), 8000, RATE_HZ);
}

async function inNoise(sound: Promise<Int16Array>, snrDb: number): Promise<Int16Array> {
  return withNoise(await sound, { snrDb, seed: 5, sampleRateHz: RATE_HZ });
}

const coughing = (): Promise<Int16Array> => Promise.resolve(cough(RATE_HZ));
const table = (): Promise<Int16Array> => says('slt', 'I would like to book a table for two people.');
const question = (): Promise<Int16Array> => says('slt', 'I have a question.');
const closing = (): Promise<Int16Array> => says('slt', 'What time do you close today?');
const woman = async (): Promise<Int16Array> => atLevel(await humanVoice('Front_Center', RATE_HZ), -26);
/** Silence, the user's speech, and time for the reaction of the agent. */
const alone = (...parts: readonly Part[]): Promise<Int16Array> => inTurn(600, ...parts, 2000);
/** Like `alone`, but the agent already speaks when the user begins. */
const amid = (...parts: readonly Part[]): Promise<Int16Array> => inTurn(3000, ...parts, 2500);

const forTwo = (): Promise<Int16Array> => says('slt', 'for two people on the first floor');
const PROMPT = 'Please enter your number followed by the pound key.';

/** The user continues `afterMs` after the agent began to speak. */
function goingOn(afterMs: number, expected: string): Scene {
  return {
    name: `continues after ${afterMs / 1000} s`,
    input: `the rest of the sentence ${afterMs / 1000} s after the agent began`,
    agentSpeaks: false,
    answers: [AGENT_OPENING],
    follows: [{ afterMs, sound: forTwo }],
    expected,
    sound: () => alone(table()),
  };
}

/** Words during speech of the agent, with a transcript that arrives after `sttMs`. */
function late(sttMs: number): Scene {
  return {
    name: `late transcript, ${sttMs / 1000} s`,
    input: `an interruption whose transcript arrives ${sttMs / 1000} s after the pause`,
    agentSpeaks: true,
    sttMs,
    expected: 'agent interrupted; turn',
    sound: () => inTurn(3000, says('rms', 'I have a question for you.'), sttMs + 3000),
  };
}

/** Scenes in the order of the results page. */
export const SCENES: readonly Scene[] = [
  {
    name: 'quiet',
    input: 'a question in a quiet room',
    agentSpeaks: false,
    expected: 'turn',
    sound: () => alone(table()),
  },
  {
    name: 'a human voice',
    input: 'a recording of a woman',
    agentSpeaks: false,
    expected: 'turn',
    sound: () => alone(woman()),
  },
  {
    name: 'noisy',
    input: 'the question, pink noise 12 dB below it',
    agentSpeaks: false,
    expected: 'turn',
    sound: () => inNoise(alone(table()), 12),
  },
  {
    name: '8 kHz phone band',
    input: 'the question through µ-law at 8 kHz',
    agentSpeaks: false,
    expected: 'turn',
    sound: () => byPhone(alone(table())),
  },
  {
    name: 'slow talker',
    input: 'pauses of 250 to 320 ms between three parts of a sentence',
    agentSpeaks: false,
    expected: 'turn',
    sound: () =>
      alone(says('rms', 'I would like'), 250, says('rms', 'to speak'), 320, says('rms', 'to a human being')),
  },
  {
    name: 'two sentences, short pause',
    input: '300 ms between them: less than turnEndpointDelay',
    agentSpeaks: false,
    expected: 'turn',
    sound: () => alone(question(), 300, closing()),
  },
  {
    name: 'two sentences, long pause',
    input: '2 s between them',
    agentSpeaks: false,
    expected: 'turn; turn',
    sound: () => alone(question(), 2000, closing()),
  },
  {
    name: 'unfinished sentence',
    input: 'a pause of 900 ms after "because my"',
    agentSpeaks: false,
    expected: 'turn',
    sound: () =>
      alone(
        says('slt', 'I am calling you today because my'),
        900,
        says('slt', 'mother wants to come to the show.'),
      ),
  },
  {
    name: 'cough',
    input: 'two bursts of noise',
    agentSpeaks: false,
    expected: 'no turn',
    sound: () => alone(coughing()),
  },
  {
    name: 'cough over the agent',
    input: 'the same while the agent speaks',
    agentSpeaks: true,
    expected: 'no turn',
    sound: () => amid(coughing()),
  },
  {
    name: 'backchannel',
    input: '"okay" while the agent speaks',
    agentSpeaks: true,
    expected: 'not paused: backchannel',
    sound: () => amid(says('slt', 'okay')),
  },
  {
    name: 'double talk',
    input: '"no please stop, I have a question" while the agent speaks',
    agentSpeaks: true,
    expected: 'agent interrupted; turn',
    sound: () => amid(says('rms', 'No please stop, I have a question for you.')),
  },
  {
    name: 'echo',
    input:
      "the agent's own voice 150 ms later, 12 dB below; the client learns to remove it within half a second",
    agentSpeaks: true,
    echo: { delayMs: 150, gain: 0.25, untilMs: 700 },
    expected: 'not paused: echo',
    sound: () => inTurn(5000),
  },
  {
    name: 'words of the previous response',
    input: 'what the agent said in its previous response, over another one',
    agentSpeaks: false,
    answers: [PROMPT, AGENT_OPENING],
    follows: [
      { afterMs: 6000, sound: question },
      { afterMs: 3000, sound: () => says('rms', PROMPT) },
    ],
    expected: 'turn; turn; agent interrupted; turn',
    sound: () => alone(table()),
  },
  {
    name: 'words of the current response',
    input: 'the words that the agent is saying',
    agentSpeaks: true,
    expected: 'agent interrupted; turn',
    sound: () =>
      inTurn(3600, says('rms', 'We are open every day of the week from nine in the morning'), 2500),
  },
  late(3000),
  late(6000),
  {
    name: 'pause in a sentence',
    input: '600 ms between two parts of a sentence',
    agentSpeaks: false,
    expected: 'turn; agent interrupted; same turn continued',
    sound: () => alone(table(), 600, forTwo()),
  },
  goingOn(300, 'turn; agent interrupted; same turn continued'),
  goingOn(1000, 'turn; agent interrupted; same turn continued'),
  goingOn(1400, 'turn; agent interrupted; same turn continued'),
  goingOn(1600, 'turn; agent interrupted; turn'),
];

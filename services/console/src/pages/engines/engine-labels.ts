import type { Schemas } from '../../api/client.ts';
import type { Tone } from '../../components/status-badge.tsx';

export type Engine = Schemas['Engine'];

/** The roles of engines, in the order in which a call uses them. */
export const ROLES: readonly {
  role: Engine['role'];
  title: string;
  meaning: string;
  /** Anchor of the heading in the guide. */
  anchor: string;
}[] = [
  {
    role: 'speechToText',
    title: 'Speech to text',
    meaning: 'Transcribes what the user says. Latency: from the end of speech to the transcript.',
    anchor: 'speech-to-text',
  },
  {
    role: 'languageModel',
    title: 'Language model',
    meaning: 'Writes what the agent says, and calls tools. Latency: from the request to the first token.',
    anchor: 'a-language-model',
  },
  {
    role: 'textToSpeech',
    title: 'Text to speech',
    meaning: 'Speaks what the agent says. Latency: from the first sentence to the first audio.',
    anchor: 'text-to-speech',
  },
];

export const KINDS: Readonly<Record<Engine['kind'], string>> = {
  embedded: 'Embedded',
  local: 'Your model, on this machine',
  hosted: 'On a server',
};

export const USES: Readonly<Record<Engine['use'], string>> = {
  default: 'By default',
  fallback: 'If the previous engine fails',
  choice: 'If a call chooses it',
};

export const HEALTH: Readonly<Record<Engine['health'], { tone: Tone; words: string }>> = {
  ok: { tone: 'good', words: 'OK' },
  failing: { tone: 'bad', words: 'Failing' },
  unknown: { tone: 'neutral', words: 'Not used yet' },
};

export const FAILURES: Readonly<Record<string, string>> = {
  unreachable: 'no connection',
  refused: 'the server refused the request',
  malformed: 'the response was not valid',
  timeout: 'no response in time',
  cut: 'the response ended early',
  unavailable: 'it is not installed',
};

/** Limitations of embedded engines, by name. */
export const LIMITATIONS: Readonly<Record<string, string>> = {
  moonshine: 'A small model, for English only. It often misunderstands single words and names.',
  'svc-local': 'A script in English, not a language model. It does not understand a conversation.',
  flite: 'For trying things out: one synthetic voice, in US English only.',
  'espeak-ng': 'For trying things out: robotic voices, in 26 languages and regions.',
};

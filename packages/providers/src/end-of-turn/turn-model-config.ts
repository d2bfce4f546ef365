import type { EnvReader } from '@calls/foundation/env-reader';
import { InvalidVariableError, parsed, text } from '@calls/foundation/variable';

/** An end-of-turn model in a file. */
export interface TurnModelConfig {
  path: string;
  /** SHA-256 of the file: 64 hexadecimal digits in lower case. */
  sha256: string;
}

const VARIABLES = {
  END_OF_TURN_MODEL: text({
    unset: 'only the words decide',
    meaning: 'Path of an ONNX model that judges by the sound whether a turn is complete.',
  }),
  END_OF_TURN_MODEL_SHA256: parsed({
    unset: 'required with a model',
    meaning: 'SHA-256 checksum of that file.',
    placeholder: '',
    parse: (value) => {
      const digits = value.toLowerCase();
      if (/^[0-9a-f]{64}$/u.test(digits)) return digits;
      throw new InvalidVariableError(`must be 64 hexadecimal digits, not "${value}"`);
    },
  }),
};

/** Null without a model. Issues are collected in `env`; the caller calls `finish`. */
export function readTurnModelConfig(env: EnvReader): TurnModelConfig | null {
  const { END_OF_TURN_MODEL: path, END_OF_TURN_MODEL_SHA256: sha256 } = env.read(VARIABLES);
  if (path === null) return null;
  if (sha256 === null) env.addIssue('END_OF_TURN_MODEL needs END_OF_TURN_MODEL_SHA256');
  return { path, sha256: sha256 ?? '' };
}

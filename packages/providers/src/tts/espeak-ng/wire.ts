import { ProviderError } from '@calls/engine-ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { ProcessEnd } from '../../process-host/messages.ts';
import { programError } from '../program/program-error.ts';
import type { EspeakSettings } from './voices.ts';

/** Adapter name for errors, and key in the registry. */
export const ESPEAK_NG = 'espeak-ng';

const WORDS_PER_MINUTE = 175;

const settingsValidator = compileValidator(
  'voice settings',
  Type.Object(
    {
      voice: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+_-]{0,39}$' }),
      speed: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2.5 })),
      pitch: Type.Optional(Type.Integer({ minimum: 0, maximum: 99 })),
    },
    { additionalProperties: false },
  ),
);

export function parseSettings(settings: unknown): EspeakSettings {
  try {
    return settingsValidator.parse(settings);
  } catch (cause) {
    throw new ProviderError(ESPEAK_NG, 'unavailable', toError(cause).message, { cause });
  }
}

/** Reads UTF-8 text from standard input and writes WAV to standard output, without a pause after the last word. */
export function commandLine(settings: EspeakSettings): string[] {
  const speed = Math.round((settings.speed ?? 1) * WORDS_PER_MINUTE);
  return [
    '-v',
    settings.voice,
    '-s',
    String(speed),
    '-p',
    String(settings.pitch ?? 50),
    '-b',
    '1',
    '-z',
  ].concat('--stdin', '--stdout');
}

/** Whether the text contains a letter or digit. */
export function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * The text in one line, without characters that espeak-ng interprets: control characters, which start embedded
 * commands, and `[[`, which starts phonemes. Markup is not interpreted without `-m`.
 */
export function plainText(text: string): string {
  return `${text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .replace(/\s+/g, ' ')
    .trim()}\n`;
}

/** The error that the end of the process shows; undefined for success. */
export function errorOf(end: ProcessEnd, binary: string): ProviderError | undefined {
  if (end.kind === 'exited' && end.code !== 0 && end.stderr.includes('voice does not exist'))
    return new ProviderError(ESPEAK_NG, 'unavailable', 'this voice is not installed');
  return programError(ESPEAK_NG, 'espeak-ng', end, binary);
}

import { ProviderError } from '@calls/engine-ports/provider-error';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import type { ProcessEnd } from '../../process-host/messages.ts';
import { programError } from '../program/program-error.ts';
import { validated } from '../voice-settings.ts';
import { FLITE } from './voices.ts';

/** `VoiceSelection.settings` of this engine. */
const Settings = Type.Object(
  {
    voice: Type.Literal('slt'),
    /** Factor on the voice's own speed; default 1. */
    speed: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2.5 })),
  },
  { additionalProperties: false },
);
export type FliteSettings = Static<typeof Settings>;

const settingsValidator = compileValidator('voice settings', Settings);

export function parseSettings(settings: unknown): FliteSettings {
  return validated(FLITE, settingsValidator, settings);
}

/**
 * Reads text from standard input. Standard output must be a file that can be opened by its name: flite seeks in it to
 * append sentences and to correct the header. It hangs if that is a pipe, and cannot open a socket.
 */
export function commandLine({ voice, speed = 1 }: FliteSettings): string[] {
  const stretch = ['--setf', `duration_stretch=${(1 / speed).toFixed(3)}`];
  return ['-voice', voice, ...stretch, '-f', '-', '-o', '/dev/stdout'];
}

/** The error that the end of the process shows; undefined for success. */
export function errorOf(end: ProcessEnd, binary: string): ProviderError | undefined {
  // Its exit code is 0 then.
  if (end.kind === 'exited' && end.stderr.includes("can't open file"))
    return new ProviderError(FLITE, 'unavailable', `${binary} cannot write its audio`);
  return programError(FLITE, 'flite', end, binary);
}

import { answerOf, api, type Schemas } from '../../api/client.ts';

/** A sentence of a voice in the catalogue. */
export async function fetchPreview(voiceId: string, signal: AbortSignal): Promise<Blob> {
  const asked = api.GET('/api/voices/{voice_id}/preview', {
    params: { path: { voice_id: voiceId } },
    parseAs: 'blob',
    signal,
  });
  return blobOf(await answerOf(asked));
}

/** A sentence of a voice that isn't in it, or not so. */
export async function fetchDefinitionPreview(
  body: Schemas['VoiceRequest'],
  signal: AbortSignal,
): Promise<Blob> {
  return blobOf(await answerOf(api.POST('/api/voice_preview', { body, parseAs: 'blob', signal })));
}

function blobOf(answered: unknown): Blob {
  if (answered instanceof Blob) return answered;
  throw new Error('The voice answered no audio.');
}

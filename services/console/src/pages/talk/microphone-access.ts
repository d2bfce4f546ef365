/** Why there is no microphone; the browser SDK tells the same codes. */
export type MicrophoneFault =
  'insecure_page' | 'microphone_denied' | 'microphone_not_found' | 'microphone_failed';

export class MicrophoneError extends Error {
  readonly code: MicrophoneFault;

  constructor(code: MicrophoneFault, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/**
 * Asks for the microphone before a call is made, so that none waits for the person's answer. The track is the caller's to stop.
 * Throws a MicrophoneError.
 */
export async function askForMicrophone(deviceId: string | null): Promise<MediaStreamTrack> {
  if (!hasMicrophones()) throw new MicrophoneError('insecure_page');
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        channelCount: 1,
        ...(deviceId !== null && { deviceId: { exact: deviceId } }),
      },
    });
    const [track] = stream.getAudioTracks();
    if (!track) throw new MicrophoneError('microphone_not_found');
    return track;
  } catch (thrown) {
    throw thrown instanceof MicrophoneError ? thrown : new MicrophoneError(codeOf(thrown), thrown);
  }
}

/** Browsers give microphones to pages of https: and localhost only. */
export function hasMicrophones(): boolean {
  return 'mediaDevices' in navigator;
}

function codeOf(thrown: unknown): MicrophoneFault {
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'microphone_denied';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'microphone_not_found';
  return 'microphone_failed';
}

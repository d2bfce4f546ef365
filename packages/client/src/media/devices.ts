import { CallError } from '../call-error.ts';

export interface AudioDevices {
  microphones: MediaDeviceInfo[];
  /** Empty if the browser cannot select loudspeakers. */
  speakers: MediaDeviceInfo[];
}

/** Device ids and labels are empty until the page has been allowed a microphone. */
export async function listDevices(): Promise<AudioDevices> {
  const devices = await mediaDevices().enumerateDevices();
  return {
    microphones: devices.filter(({ kind }) => kind === 'audioinput'),
    speakers: devices.filter(({ kind }) => kind === 'audiooutput'),
  };
}

/** Whether a microphone can be opened without a permission prompt. */
export async function isMicrophoneGranted(): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'microphone' });
    return state === 'granted';
  } catch {
    // Older browsers do not report it.
    return false;
  }
}

/** Opens a microphone for speech: mono, with echo cancellation. Null or an empty `deviceId`: the user's default. */
export async function openMicrophone(deviceId: string | null): Promise<MediaStreamTrack> {
  try {
    const stream = await mediaDevices().getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        channelCount: 1,
        ...(deviceId ? { deviceId: { exact: deviceId } } : {}),
      },
    });
    const [track] = stream.getAudioTracks();
    if (!track) throw new CallError('microphone_not_found', 'no microphone found');
    return track;
  } catch (thrown) {
    throw microphoneError(thrown, deviceId);
  }
}

function mediaDevices(): MediaDevices {
  // Undefined on pages served over plain http:, unlike its type.
  const { mediaDevices: devices } = navigator as Partial<Navigator>;
  if (!devices) {
    throw new CallError(
      'insecure_page',
      'microphones are only available to pages on https: and localhost: serve this page over https, or join without a microphone',
    );
  }
  return devices;
}

function microphoneError(thrown: unknown, deviceId: string | null): CallError {
  if (thrown instanceof CallError) return thrown;
  const name = thrown instanceof Error ? thrown.name : '';
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return new CallError('microphone_denied', 'permission to use the microphone was denied', thrown);
    case 'NotFoundError':
    case 'OverconstrainedError':
      // Safari throws the second for both.
      return new CallError(
        'microphone_not_found',
        deviceId ? 'the selected microphone was not found' : 'no microphone found',
        thrown,
      );
    default:
      return new CallError('microphone_failed', 'the microphone does not work, or is in use', thrown);
  }
}

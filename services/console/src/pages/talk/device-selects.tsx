import { CallSession, type AudioDevices } from '@calls/client';
import { Select } from '@mantine/core';
import { useEffect, useState } from 'react';

const NONE: AudioDevices = { microphones: [], speakers: [] };

/** The available devices, updated on changes. They have no names until the page may use a microphone. */
function useAudioDevices(): AudioDevices {
  const [devices, setDevices] = useState(NONE);
  useEffect(() => {
    if (!('mediaDevices' in navigator)) return undefined;
    const refresh = (): void => void CallSession.listDevices().then(setDevices, () => setDevices(NONE));
    refresh();
    navigator.mediaDevices.addEventListener('devicechange', refresh);
    return () => navigator.mediaDevices.removeEventListener('devicechange', refresh);
  }, []);
  return devices;
}

interface DeviceSelectProps {
  value: string;
  onChange: (deviceId: string) => void;
  disabled?: boolean;
}

export function MicrophoneSelect(props: DeviceSelectProps) {
  const { microphones } = useAudioDevices();
  return <DeviceSelect label="Microphone" devices={microphones} {...props} />;
}

export function SpeakerSelect(props: DeviceSelectProps) {
  const { speakers } = useAudioDevices();
  return <DeviceSelect label="Loudspeaker" devices={speakers} {...props} />;
}

/** Renders nothing if there is only one device. */
function DeviceSelect(props: DeviceSelectProps & { label: string; devices: readonly MediaDeviceInfo[] }) {
  const named = props.devices.filter(({ deviceId, label }) => label !== '' && !ALIASES.has(deviceId));
  if (named.length < 2) return null;
  return (
    <Select
      label={props.label}
      data={[
        { value: '', label: 'System default' },
        ...named.map(({ deviceId, label }) => ({ value: deviceId, label })),
      ]}
      value={props.value}
      onChange={(deviceId) => props.onChange(deviceId ?? '')}
      allowDeselect={false}
      disabled={props.disabled}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

/** Chromium's aliases of devices that are also listed by their own id. */
const ALIASES = new Set(['', 'default', 'communications']);

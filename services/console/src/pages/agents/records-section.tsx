import { telephonyVendors } from '@calls/api-client/vendors';
import { Select, SimpleGrid, Stack } from '@mantine/core';
import { Section } from '../../components/layout.tsx';
import { useField } from '../../components/editor/editor.tsx';
import {
  ChoiceField,
  NumberField,
  SwitchField,
  TextField,
  type Choice,
} from '../../components/editor/fields.tsx';

const RETENTION: readonly Choice[] = [
  { value: 'retain', label: 'Keep' },
  { value: 'auto_delete', label: 'Delete after the call' },
  { value: 'zdr', label: 'Never store (zero retention)' },
];
const MEDIUMS: readonly Choice[] = [
  { value: 'webRtc', label: 'WebRTC, in the browser' },
  { value: 'serverWebSocket', label: 'WebSocket, from a server' },
  ...telephonyVendors.map(({ key, name }) => ({ value: key, label: `Phone, by ${name}` })),
  { value: 'sip', label: 'SIP' },
];
/** Required settings of a medium. */
const FIRST_SETTINGS: Readonly<Record<string, object>> = {
  serverWebSocket: { inputSampleRate: 16_000 },
  sip: { incoming: {} },
};

export function RecordsSection() {
  return (
    <Section title="Recording and medium">
      <Stack>
        <SwitchField
          path="recordingEnabled"
          label="Record calls"
          description="Both sides. Stored with the call and deleted with it."
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ChoiceField
            path="retentionPolicy"
            label="Retention of call content"
            choices={RETENTION}
            placeholder="Keep"
          />
          <MediumField />
        </SimpleGrid>
        <WebSocketRates />
        <PhoneKeys />
      </Stack>
    </Section>
  );
}

function MediumField() {
  const { value, set, error } = useField('medium');
  return (
    <Select
      label="Medium"
      description="Other settings are in the JSON view. A call can choose another medium."
      data={[...MEDIUMS]}
      value={mediumOf(value)}
      onChange={(chosen) => set(chosen === null ? undefined : { [chosen]: FIRST_SETTINGS[chosen] ?? {} })}
      placeholder="WebRTC, in the browser"
      error={error}
      clearable
    />
  );
}

function WebSocketRates() {
  const { value } = useField('medium');
  if (mediumOf(value) !== 'serverWebSocket') return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NumberField
        path="medium.serverWebSocket.inputSampleRate"
        label="Input rate, Hz"
        min={8000}
        max={48_000}
      />
      <NumberField
        path="medium.serverWebSocket.outputSampleRate"
        label="Output rate, Hz"
        min={8000}
        max={48_000}
        placeholder="As the input"
      />
    </SimpleGrid>
  );
}

function PhoneKeys() {
  const { value } = useField('medium');
  const medium = mediumOf(value);
  if (!telephonyVendors.some(({ key }) => key === medium)) return null;
  const path = `medium.${medium ?? ''}.dtmfHandling`;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextField
        path={`${path}.userTextMessage.text`}
        label="Message for pressed keys"
        description="{digits} is replaced by the pressed keys."
        placeholder="{digits}"
      />
      <SwitchField path={`${path}.ignore`} label="Ignore keys" />
    </SimpleGrid>
  );
}

function mediumOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null ? (Object.keys(value)[0] ?? null) : null;
}

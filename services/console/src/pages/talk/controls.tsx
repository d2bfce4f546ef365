import { ActionIcon, Popover, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  PhoneOffIcon,
  MicIcon,
  MicOffIcon,
  SlidersHorizontalIcon,
  Volume2Icon,
  VolumeXIcon,
} from 'lucide-react';
import classes from './controls.module.css';
import { MicrophoneSelect, SpeakerSelect } from './device-selects.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';

const OUTPUTS = [
  { value: 'voice', label: 'Voice' },
  { value: 'text', label: 'Text' },
] as const;

/** All controls of the call except the conversation. */
export function Controls(props: { call: TalkCall; state: TalkState; className?: string }) {
  const { call, state } = props;
  const { hasMicrophone, isMicMuted, isSpeakerMuted } = state;
  return (
    <div className={`${classes.controls} ${props.className ?? ''}`} role="toolbar" aria-label="Call">
      {hasMicrophone ? (
        <Control
          label={isMicMuted ? 'Unmute the microphone' : 'Mute the microphone'}
          hint="M"
          isOff={isMicMuted}
          onClick={() => call.toggleMicrophone()}
        >
          {isMicMuted ? <MicOffIcon /> : <MicIcon />}
        </Control>
      ) : (
        <Control label="Use a microphone" isOff onClick={() => void call.setMicrophone('')}>
          <MicOffIcon />
        </Control>
      )}
      <Control
        label={isSpeakerMuted ? 'Unmute the agent' : 'Mute the agent'}
        isOff={isSpeakerMuted}
        onClick={() => call.toggleSpeaker()}
      >
        {isSpeakerMuted ? <VolumeXIcon /> : <Volume2Icon />}
      </Control>
      <DeviceMenu call={call} hasMicrophone={hasMicrophone} />
      <div className={classes.output}>
        <Text c="dimmed" fz="xs" mb={4} ta="center" visibleFrom="sm" aria-hidden="true">
          The agent responds by
        </Text>
        <SegmentedControl
          fullWidth
          aria-label="The agent responds by"
          data={[...OUTPUTS]}
          value={state.output}
          onChange={(output) => call.setOutput(output)}
        />
      </div>
      <Tooltip label="Hang up">
        <ActionIcon
          className={classes.hangUp}
          variant="filled"
          color="red.8"
          aria-label="Hang up"
          onClick={() => void call.leave()}
        >
          <PhoneOffIcon />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function Control(props: {
  label: string;
  hint?: string;
  isOff: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  const { label, hint, isOff } = props;
  return (
    <Tooltip label={hint === undefined ? label : `${label} (${hint})`}>
      <ActionIcon
        className={classes.control}
        variant="default"
        data-off={isOff}
        aria-label={label}
        aria-keyshortcuts={hint}
        onClick={props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}

function DeviceMenu({ call, hasMicrophone }: { call: TalkCall; hasMicrophone: boolean }) {
  const [microphone, setMicrophone] = useState('');
  const [speaker, setSpeaker] = useState('');
  return (
    <Popover width={280} position="top" withArrow shadow="md" trapFocus>
      <Popover.Target>
        <ActionIcon className={classes.control} variant="default" aria-label="Microphone and loudspeaker">
          <SlidersHorizontalIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {hasMicrophone && (
            <MicrophoneSelect
              value={microphone}
              onChange={(deviceId) => {
                setMicrophone(deviceId);
                void call.setMicrophone(deviceId);
              }}
            />
          )}
          <SpeakerSelect
            value={speaker}
            onChange={(deviceId) => {
              setSpeaker(deviceId);
              void call.setSpeaker(deviceId);
            }}
          />
          <Text c="dimmed" fz="sm">
            Devices are listed when there are several, and after the page was allowed to use a microphone.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

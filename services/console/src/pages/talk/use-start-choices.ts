import { useState } from 'react';
import type { Template } from '../agents/template.ts';
import type { StartChoices } from './start-call.tsx';

const WITHOUT_CONTENT = new Set<unknown>(['zdr', 'CALL_RETENTION_POLICY_ZDR']);

/** The default microphone, and a recording unless the template says otherwise. */
export function useStartChoices({
  retentionPolicy,
  recordingEnabled = true,
}: Pick<Template, 'retentionPolicy' | 'recordingEnabled'>): StartChoices {
  const [microphoneId, setMicrophoneId] = useState('');
  const [choice, setRecorded] = useState<boolean>();
  const isRecorded = WITHOUT_CONTENT.has(retentionPolicy) ? null : (choice ?? recordingEnabled);
  return { microphoneId, setMicrophoneId, isRecorded, setRecorded };
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import type { Partner, PartnerKind } from './call-request.ts';
import type { StartChoices } from './start-call.tsx';
import { useExampleValues } from './use-example-values.ts';
import { useStartChoices } from './use-start-choices.ts';
import type { Variable } from '../../components/variable-fields.tsx';
import { templateContext, templateVariables } from './template-variables.ts';

const FIRST_PROMPT =
  'You are Ada, the receptionist of a small hotel by the sea. Breakfast is from seven to ten. Answer in one or two short sentences.';

/** The selected agent or prompt, and the microphone. Persists across the calls of the page. */
export interface TalkSetupState extends StartChoices {
  readonly kind: PartnerKind;
  readonly setKind: (kind: PartnerKind) => void;
  readonly agentId: string;
  readonly setAgentId: (agentId: string) => void;
  readonly variables: readonly Variable[];
  readonly values: Readonly<Record<string, string>>;
  readonly setValue: (path: string, value: string) => void;
  readonly systemPrompt: string;
  readonly setSystemPrompt: (text: string) => void;
  /** '': the service's default. */
  readonly voice: string;
  readonly setVoice: (voice: string) => void;
  readonly partner: Partner;
  readonly partnerName: string;
  /** Whether the call can be started. */
  readonly isComplete: boolean;
}

export function useTalkSetup(agentId: string): TalkSetupState {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const voiceOfAddress = params.get('voice') ?? '';
  // A prompt needs no agent, so it is the default for accounts without agents.
  const [kind, setKind] = useState<PartnerKind>(agentId !== '' ? 'agent' : 'prompt');
  const [systemPrompt, setSystemPrompt] = useState(FIRST_PROMPT);
  const [voice, setVoice] = useState(voiceOfAddress);
  const agent = useQuery({
    queryKey: ['agent', agentId],
    enabled: agentId !== '',
    queryFn: () => dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  const variables = templateVariables(agent.data?.callTemplate ?? null);
  const [values, setValue] = useExampleValues(agentId, variables);
  const isAgent = kind === 'agent';
  const template = isAgent ? agent.data?.callTemplate : null;
  const choices = useStartChoices(template ?? {});
  return {
    kind,
    setKind,
    agentId,
    setAgentId: (chosen) => void navigate(chosen === '' ? '/talk' : `/talk/${chosen}`, { replace: true }),
    variables,
    values,
    setValue,
    systemPrompt,
    setSystemPrompt,
    voice,
    setVoice,
    ...choices,
    partner: {
      isRecorded: choices.isRecorded ?? false,
      ...(isAgent
        ? { kind, agentId, context: templateContext(variables, values), template: null }
        : { kind, systemPrompt, voice: voice || null }),
    },
    partnerName: isAgent ? agent.data?.name || 'Unnamed agent' : 'Agent',
    isComplete: isAgent ? agentId !== '' : systemPrompt.trim() !== '',
  };
}

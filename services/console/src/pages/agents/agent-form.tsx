import {
  EditorForm,
  NameField,
  type Draft,
  type EditorTab,
  type SaveAction,
} from '../../components/editor/editor-form.tsx';
import { AnalysisSection } from './analysis-section.tsx';
import { BehaviourSection } from './behaviour-section.tsx';
import { OpeningSection } from './opening-section.tsx';
import { RecordsSection } from './records-section.tsx';
import type { Template } from './template.ts';
import { TimeSection } from './time-section.tsx';
import { ToolsSection } from './tools-section.tsx';
import { TurnSection } from './turn-section.tsx';
import { VoiceSection } from './voice-section.tsx';
import { Sections } from './workspace/sections.tsx';

export type AgentDraft = Draft<Template>;

const JSON_VIEW = {
  label: 'Template',
  description:
    'All fields of the call template, including those that the form does not show. Secrets are never shown; omitted secrets remain unchanged.',
};

const SECTIONS = [
  {
    name: 'Behaviour',
    content: (
      <BehaviourSection>
        <NameField maxLength={64} placeholder="Hotel reception" />
      </BehaviourSection>
    ),
  },
  { name: 'Voice', content: <VoiceSection /> },
  { name: 'Opening', content: <OpeningSection /> },
  { name: 'Tools', content: <ToolsSection /> },
  { name: 'Time', content: <TimeSection /> },
  { name: 'Turn-taking', content: <TurnSection /> },
  { name: 'Recording', content: <RecordsSection /> },
  { name: 'Analysis', content: <AnalysisSection /> },
];

/** The form of an agent. */
export function AgentForm(props: {
  initial: AgentDraft;
  save: SaveAction<Template>;
  otherSave?: SaveAction<Template> | undefined;
  onDraft?: (template: Template | null) => void;
  tabs?: readonly EditorTab[];
  newHint?: string;
}) {
  return (
    <EditorForm {...props} root="callTemplate" json={JSON_VIEW}>
      <Sections sections={SECTIONS} />
    </EditorForm>
  );
}

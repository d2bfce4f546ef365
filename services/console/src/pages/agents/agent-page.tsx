import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="Agent">Being built.</Page>;
}

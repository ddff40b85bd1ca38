import { expect, it } from 'vitest';
import { CONTROLS } from './controls/table.js';
import { enforces, PRESETS } from './preset.js';

it.each(['cautious', 'standard'] as const)('%s enforces every control', (preset) => {
  for (const { id } of CONTROLS) expect(enforces(preset, id), id).toBe(true);
});

it('research enforces only the controls that are no limits', () => {
  const enforced = CONTROLS.map(({ id }) => id).filter((id) => enforces('research', id));
  expect([...enforced].sort()).toEqual(['R07', 'R22', 'R30', 'mode']);
});

it('none enforces no control', () => {
  for (const { id } of CONTROLS) expect(enforces('none', id), id).toBe(false);
});

it('the presets have four names, the strictest first', () => {
  expect(PRESETS).toEqual(['cautious', 'standard', 'research', 'none']);
});

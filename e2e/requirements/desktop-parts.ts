import { type Requirement, section } from './requirement.ts';

/** Accessibility and recording. */
export const DESKTOP_PARTS: readonly Requirement[] = [
  ...section('api.md §7, accessibility', {
    'a11y.tree': 'the tree has role, name, states and place of each node',
    'a11y.query': 'nodes are found by role, name (substring, exact, regex) and states, up to limit',
    'a11y.query-wrong': 'unknown roles and states, and patterns that are none, are 422',
    'a11y.regex-bound': 'a pattern that would run for ever ends after its time',
    'a11y.offscreen': 'hidden nodes are left out unless include_offscreen asks for them',
    'a11y.limits': 'max_depth and max_nodes bound the answer, and truncated says so',
    'a11y.below': 'with node_id the tree begins there',
    'a11y.foreground': 'scope foreground is the program in front',
    'a11y.invoke': 'NODE_INVOKE does an action of a node, by default the usual one',
    'a11y.focus': 'NODE_FOCUS gives a node the focus',
    'a11y.set-value': 'NODE_SET_VALUE sets text, numbers, checks and options',
    'a11y.ids': 'an id never means another node',
    'a11y.silent': 'a program that hangs costs its own part of the tree, within timeout_ms',
    'a11y.many': 'a window of 300 nodes is read whole',
    'a11y.bus': 'without a bus it is 503 with a hint; after the death of the bus it is found again',
  }),
  ...section('api.md §7, record', {
    'record.file': 'start, status and stop make an MP4 of the display',
    'record.one': 'one recording at a time: 409',
    'record.duration': 'a recording stops by itself at max_duration',
    'record.size': 'width and height scale, and one alone keeps the proportions',
    'record.killed': 'a file whose recorder was killed plays up to there',
    'record.bounds': 'every field out of range is refused',
    'record.info': 'info says whether there are recordings',
    'record.no-display': 'without a display it is 503 with a hint',
  }),
  ...section('interface.md Desktop image', {
    'images.desktop': 'the desktop image has XFCE, its session bus and the worker, and is healthy',
    'images.desktop-unknown': 'an unknown SVC_DESKTOP ends the boot',
    'images.desktop-a11y': 'programs that commands start tell their content to the worker',
  }),
];

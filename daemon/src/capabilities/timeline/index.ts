import { defineCapability } from '../../capability.ts';
import { TimelineOptions } from './options.ts';
import { TIMELINE_SCOPES } from './route-scopes.ts';
import { TimelineService } from './timeline-service.ts';
import { timelineV2 } from './v2/routes.ts';

export const timeline = defineCapability({
  name: 'timeline',
  scopes: TIMELINE_SCOPES,
  options: TimelineOptions,
  create: (core, options) => {
    const service = new TimelineService(core, options);
    const { metrics } = core;
    metrics.total('timeline_events_total', 'Events of the timeline.', () => service.figures.events);
    metrics.total('timeline_dropped_total', 'Events that the disk refused.', () => service.figures.dropped);
    metrics.gauge('timeline_bytes', 'Bytes of the timeline.', () => service.figures.bytes);
    return service;
  },
  v2: timelineV2,
  report: (service) => ({ timeline: service.isOn }),
});

import { describeInterleavings } from "./interleavings.js";
import { plansWith } from "./moves.js";

describeInterleavings("a host that answers at once", plansWith([]));

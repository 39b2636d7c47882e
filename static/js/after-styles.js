/* It does nothing but wait: a script waits for the style sheets before it, and the body for the script. So nothing is
   styled before all sheets are there; Bootstrap's colours were, in a first visit, and seen to fade into ours. */

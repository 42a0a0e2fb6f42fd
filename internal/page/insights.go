package page

import (
	"mulligan/internal/client"
	"mulligan/view/web"
)

// maxRecords is how many past sessions figures are made of.
const maxRecords = 2000

// showInsights shows what past sessions have in common.
func (v *visit) showInsights() error {
	query := v.r.URL.Query()
	opt := client.PastOptions{All: true, Limit: maxRecords}
	for _, w := range web.Windows() {
		if w.Name == query.Get("window") && w.Long > 0 {
			opt.Since = v.now().Add(-w.Long)
		}
	}
	past, err := v.gallery.client.ReadPast(v.r.Context(), opt)
	if err != nil {
		return err
	}
	page := web.NewInsights(v.frame("Insights"), past.Records, query.Get("repository"), query.Get("window"))
	page.SetMissing(past.Err())
	return v.show("insights", page)
}

package view

import (
	"cmp"
	"fmt"
	"strings"

	"mulligan"
)

// remarkGuard tells what the guard made of an agent's claims.
func remarkGuard(body mulligan.Body) []Remark {
	switch b := body.(type) {
	case mulligan.GuardOpened:
		return newRemark(Usual, "guard", b.Agent+" "+b.Conversation, b.Dir)
	case mulligan.GuardSeen:
		return remarkSeen(b)
	case mulligan.GuardClaimed:
		return remarkClaimed(b.Items, b.Max)
	case mulligan.GuardRuled:
		return remarkClaimed(b.Items, 0)
	case mulligan.GuardDecided:
		words := "released: its attempts begin anew"
		if b.Status == mulligan.ItemApproved {
			words = "approved: the next claim passes"
		}
		return newRemark(Usual, "guard", quoteItem(cmp.Or(b.Content, b.Key)), words, "by "+b.By)
	}
	return nil
}

func quoteItem(content string) string { return "'" + Line(content) + "'" }

// remarkSeen tells of items that are open again, and of new ones that may be others renamed.
func remarkSeen(b mulligan.GuardSeen) []Remark {
	var list []Remark
	for _, key := range b.Reopened {
		list = append(list, newRemark(Usual, "guard", quoteItem(key), "reopened")...)
	}
	for _, item := range b.Items {
		if item.Instead != "" {
			list = append(list, newRemark(Warn, "guard", quoteItem(item.Content), "a new task, in place of "+quoteItem(item.Instead))...)
		}
	}
	return list
}

// remarkClaimed tells how each of the items stands. limit is 0 where the attempts were told already.
func remarkClaimed(items []mulligan.ClaimedItem, limit int) []Remark {
	var list []Remark
	for _, item := range items {
		tone, words := describeClaimed(item)
		attempt := ""
		switch {
		case limit > 0 && item.Status == mulligan.ItemOver:
			attempt = fmt.Sprintf("claim %d, the limit is %d", item.Attempt, limit)
		case limit > 0:
			attempt = fmt.Sprintf("claim %d of %d", item.Attempt, limit)
		}
		r := newRemark(tone, "guard", quoteItem(item.Content), words, attempt)
		if reason := strings.TrimSpace(item.Reason); reason != "" {
			r[0].Under = cleanValue(strings.Split(reason, "\n"))
		}
		list = append(list, r...)
	}
	return list
}

// describeClaimed returns how a claimed item stands.
func describeClaimed(item mulligan.ClaimedItem) (Tone, string) {
	by := ""
	if item.By != "" && item.By != mulligan.ByGuard {
		by = " by " + Line(item.By)
	}
	switch {
	case item.Status == mulligan.ItemPassed && item.By == mulligan.ByNobody:
		return Good, "passed: nothing is there to validate it"
	case item.Status == mulligan.ItemPassed:
		return Good, "passed" + by
	case item.Status == mulligan.ItemOver:
		return Bad, "over its limit: it waits for a person"
	case item.Status == mulligan.ItemValidating:
		return Usual, "being validated"
	case item.Broken:
		return Warn, "denied: it could not be validated" + by
	case item.Reason != "":
		return Warn, "denied" + by
	}
	return Warn, "denied: the agent is asked to show what was done"
}
